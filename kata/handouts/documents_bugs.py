"""The documents' own bugs, as docs/documents.md tells them: the poster's texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import ROOT

PAGE = ROOT / "docs" / "documents.md"
_SECTION = re.compile(r"^## (\d+)\. (.*?)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(r"<!--.*?-->")
_ENTRY = re.compile(r"python -m kata show (ex\d\d) (\S+)")
_ERROR = re.compile(r"`(\w+Error: .*?)`(?=[\s,.])", re.DOTALL)
_TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


@dataclass(frozen=True)
class OwnBug:
    """One section of the page.

    Attributes:
        number: as the catalogue counts them.
        title: its heading.
        where: the document in which it stands.
        says: what the document says.
        true: what is true instead, sentence by sentence.
        short: the exercise in which a learner meets it.
        slug: its entry in the catalogue of that exercise.
        table: the rows of the first table of its section, the head first; none where it has none.
        error: the first error that is told there, or nothing.
    """

    number: int
    title: str
    where: str
    says: str
    true: tuple[str, ...]
    short: str
    slug: str
    table: tuple[tuple[str, ...], ...]
    error: str


@cache
def own_bugs() -> tuple[OwnBug, ...]:
    """All of them, in the order of the page."""
    return tuple(_sections(PAGE.read_text(encoding="utf-8")))


def _sections(page: str) -> Iterator[OwnBug]:
    for number, title, text in _SECTION.findall(page):
        entry = _ENTRY.search(text)
        where = re.search(r"^\*(.+)\*$", text, re.MULTILINE)
        yield OwnBug(
            number=int(number),
            title=title,
            where=where[1] if where else "",
            says=_paragraph(text, "What it says"),
            true=tuple(_SENTENCE.split(_paragraph(text, "What is true"))),
            short=entry[1] if entry else "",
            slug=entry[2] if entry else "",
            table=_table(text),
            error=_error(text),
        )


def _paragraph(text: str, name: str) -> str:
    """The paragraph that begins with this name, without marks and stars."""
    _, _, after = _MARKS.sub("", text).partition(f"**{name}.**")
    return " ".join(after.strip().split("\n\n")[0].replace("**", "").split())


def _table(text: str) -> tuple[tuple[str, ...], ...]:
    found = _TABLE.search(text)
    lines = found[0].replace("**", "").splitlines() if found else []
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    return tuple(row for row in rows if not set("".join(row)) <= set("- "))


def _error(text: str) -> str:
    found = _ERROR.search(_MARKS.sub("", text))
    return found[1] if found else ""
