"""gradebook.csv: a platform's own export with the grades filled in, ready to import."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.errors import UserError
from kata.grading.collecting.names import few
from kata.grading.reports.gradebooks import canvas, moodle, sheet
from kata.grading.reports.gradebooks.marks import Given, given
from kata.grading.reports.gradebooks.roster import Person, Roster
from kata.grading.reports.gradebooks.sheet import Sheet
from kata.text import shown
from kata.words import say

NAME = "gradebook.csv"
# Returns how many grades were written, and what the instructor should know.
Filler = Callable[[Sheet, dict[int, Given], float, str], tuple[int, list[str]]]


@dataclass(frozen=True)
class Platform:
    """How one kind of table is recognised, read and filled."""

    recognises: Callable[[Sheet], bool]
    people: Callable[[Sheet], Iterable[Person]]
    fill: Filler


PLATFORMS = (
    Platform(canvas.recognises, canvas.people, canvas.fill),
    Platform(moodle.is_worksheet, moodle.in_worksheet, moodle.fill_worksheet),
    Platform(moodle.is_gradebook, moodle.in_gradebook, moodle.fill_gradebook),
)


def fill(export: Path, found: ClassVerdict, grades: Path, column: str = "") -> tuple[str, ...]:
    """Write gradebook.csv; returns what the instructor should know, a line each.

    Args:
        export: of Canvas' gradebook, Moodle's grading worksheet or Moodle's gradebook.
        found: the class.
        grades: the folder to write to.
        column: the title of the assignment on the platform; a new one if empty.

    Students in the export who handed in nothing stay as they are. A UserError says
    why an export cannot be used.
    """
    table, count, told = _filled(export, found, column)
    grades.mkdir(parents=True, exist_ok=True)
    sheet.write(table, grades / NAME)
    key = "gradebooks.filled-one" if count == 1 else "gradebooks.filled"
    return (*told, say(key, count=count, path=grades / NAME))


def check(export: Path, column: str = "") -> None:
    """Raise a UserError if it could not be filled in, whatever was handed in."""
    _filled(export, ClassVerdict(lambda: iter(()), {}), column)


def _filled(export: Path, found: ClassVerdict, column: str) -> tuple[Sheet, int, list[str]]:
    """The table with the grades filled in, their number, and messages for the instructor."""
    table = sheet.read(export)
    platform = next((each for each in PLATFORMS if each.recognises(table)), None)
    if platform is None:
        raise UserError(say("gradebooks.unknown", path=export, names=few(table.header)))
    places, told = _places(Roster(platform.people(table)), found)
    count, more = platform.fill(table, places, found.most, column)
    return table, count, told + more


def _places(roster: Roster, found: ClassVerdict) -> tuple[dict[int, Given], list[str]]:
    """The rows that get a grade, and messages about students who get none."""
    owners: dict[int, list[Given]] = {}
    told: list[str] = []
    for verdict in found.submissions():
        people = roster.find(verdict)
        if problem := _problem(verdict, people):
            told.append(problem)
        else:
            owners.setdefault(people[0].row, []).append(given(verdict))
    told += _twice(owners.values())
    return {row: each[0] for row, each in owners.items() if len(each) == 1}, told


def _problem(verdict: SubmissionVerdict, people: list[Person]) -> str:
    """Why this grade cannot be entered; empty if it can."""
    student = shown(verdict.student)
    if verdict.problem:
        return say("gradebooks.not-graded", student=student, problem=shown(verdict.problem))
    if not people:
        return say("gradebooks.nobody", student=student)
    names = few(f"{each.shown} ({', '.join(each.numbers)})" for each in people)
    return say("gradebooks.several", student=student, names=names) if len(people) > 1 else ""


def _twice(groups: Iterable[list[Given]]) -> Iterator[str]:
    for group in groups:
        if len(group) > 1:
            yield say("gradebooks.twice", students=few(each.student for each in group))
