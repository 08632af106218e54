"""What an HTML page consists of, and whether every element is closed."""

from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

from kata.class_verdict import ClassVerdict
from kata.grading.reports import class_page
from kata.grading.reports.counting import Counts

VOID = {"meta", "rect", "br", "input", "path", "col", "hr", "img", "line", "use"}
Attributes = dict[str, str | None]


class PageReader(HTMLParser):
    """The tags of a page with their attributes, and its text without scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, Attributes]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"}.intersection(self.open):
            self.texts.append(data)


def render(verdicts: ClassVerdict) -> str:
    """The report on a class."""
    with TemporaryDirectory() as folder:
        with class_page.page(verdicts, counted(verdicts), Path(folder)) as add:
            for verdict in verdicts.submissions():
                add(verdict)
        return Path(folder, class_page.FILE).read_text(encoding="utf-8")


def counted(verdicts: ClassVerdict) -> Counts:
    """What is kept of a class."""
    counts = Counts(verdicts)
    for verdict in verdicts.submissions():
        counts.add(verdict)
    return counts
