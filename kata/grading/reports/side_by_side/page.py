"""`grades/alike.html`: the works that are most alike, two by two, each beside the other.

It shows students' code and names, and is for the instructor alone.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kata.course.curriculum import exercises
from kata.course.source import UnusableError, decoded
from kata.errors import UserError
from kata.grading.reports.side_by_side.lines import Row, bare, rows
from kata.grading.reports.tables import replacing
from kata.grading.similarity.pairs import TwoWorks
from kata.markup import environment
from kata.text import clean
from kata.words import say

FILE = "alike.html"
TEMPLATES = Path(__file__).with_name("templates")
Files = Callable[[str], Mapping[str, bytes]]  # what a student handed in


@dataclass(frozen=True)
class Beside:
    """Two works on one exercise."""

    title: str
    names: tuple[str, str]
    percent: int
    again: int  # exercises in which these two are alike
    rows: list[Row]

    @property
    def same(self) -> int:
        """How many lines do the same."""
        return sum(each.same for each in self.rows)

    @property
    def lines(self) -> int:
        """How many lines of both do anything."""
        return sum(bool(bare(each.one) or bare(each.other)) for each in self.rows)


def write(pairs: list[TwoWorks], files: Files, grades: Path) -> None:
    """Write the page, or one that says that nobody is alike."""
    template = environment(TEMPLATES).get_template("alike.html.jinja")
    with replacing(grades / FILE) as file:
        file.writelines(template.generate(pairs=list(_besides(pairs, files))))


def _besides(pairs: list[TwoWorks], files: Files) -> Iterator[Beside]:
    again = {_names(each): sum(_names(each) == _names(other) for other in pairs) for each in pairs}
    for each in pairs:
        one, other = (_text(each.exercise, files(name)) for name in _names(each))
        names = clean(each.one), clean(each.other)
        percent = int(100 * each.near)
        exercise = exercises()[each.exercise]
        title = f"{exercise.short}: {exercise.title}"
        yield Beside(title, names, percent, again[_names(each)], rows(clean(one), clean(other)))


def _names(pair: TwoWorks) -> tuple[str, str]:
    return pair.one, pair.other


def _text(slug: str, files: Mapping[str, bytes]) -> str:
    try:
        return decoded(slug, files[slug])
    except (KeyError, UnusableError):  # changed since it was compared
        return ""


def given(folder: Path) -> dict[str, list[str]]:
    """The texts of a folder, however deep they lie in it, by the exercise they belong to."""
    if not folder.is_dir():
        raise UserError(say("reports.no-given", path=folder))
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        if path.stem in exercises():
            found.setdefault(path.stem, []).append(decoded(path.name, path.read_bytes()))
    if not found:
        raise UserError(say("reports.nothing-given", path=folder))
    return found
