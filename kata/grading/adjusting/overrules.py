"""What an instructor has decided about marks: a table kept by hand, and whom each row is about.

`plan` reads it before the grading, and `adjusted` applies its rows. A row that cannot be used is
never skipped: one UserError has a line for each.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.grading.people import Person
from kata.grading.reports.wording import number
from kata.grading.tables import read_sheet, read_toml
from kata.text import line, shown

FIELDS = ("student", "exercise", "points", "adjustment", "comment", "reason", "handed_in")
TABLE = "overrule"  # in TOML: [[overrule]]
MOST_LINES = 20  # about one file
Cells = Mapping[str, str]


@dataclass(frozen=True)
class Overrule:
    """One row: other points, more or fewer points, a comment, or the time of handing in."""

    place: str
    student: str
    slug: str = ""
    points: float | None = None
    adjustment: float | None = None
    comment: str = ""
    reason: str = ""
    handed_in: str = ""

    @property
    def changes(self) -> bool:
        """Whether it is about points."""
        return self.points is not None or self.adjustment is not None


Decisions = dict[Person, tuple[Overrule, ...]]


class WrongRowError(Exception):
    """A row that cannot be used; the text says why."""


def read_overrules(path: Path) -> list[Overrule]:
    """Read all rows of a CSV or TOML file; a UserError has a line for each that cannot be used."""
    overrules: list[Overrule] = []
    wrong: list[str] = []
    for place, cells in _toml(path) if path.suffix.casefold() == ".toml" else _csv(path):
        try:
            overrules.append(_overrule(place, cells))
        except (WrongRowError, UserError) as error:
            wrong.append(wrong_row(place, error))
    _refuse(wrong)
    return overrules


def decisions(
    overrules: list[Overrule],
    most: Mapping[str, float],
    find: Callable[[str], list[Person]],
    *,
    strict: bool,
) -> Decisions:
    """The rows about each; a UserError has a line for each that asks too much or is about nobody.

    Args:
        overrules: about exercises that are graded.
        most: how many points there are, by exercise; under no exercise those of all.
        find: the people of a name; raises a WrongRowError if it may be one or another.
        strict: whether a row about nobody is wrong.
    """
    decided: Decisions = {}
    wrong = [text for row in overrules for text in _too_many(row, most[row.slug])]
    for row in overrules:
        try:
            people = find(row.student)
            if not people and strict:
                raise WrongRowError(
                    f"nobody who handed in, or is on the roster, is called {shown(row.student)}"
                )
        except WrongRowError as error:
            wrong.append(wrong_row(row.place, error))
            continue
        for person in people:
            decided[person] = (*decided.get(person, ()), row)
    _refuse([*wrong, *(text for rows in decided.values() for text in _twice(rows))])
    return decided


def wrong_row(place: str, reason: object) -> str:
    """A line on a row that cannot be used."""
    return f"{place}: {reason}"


def _refuse(wrong: list[str]) -> None:
    if wrong:
        more = [f"and {len(wrong) - MOST_LINES} more"] if len(wrong) > MOST_LINES else []
        raise UserError("\n".join([*wrong[:MOST_LINES], *more]))


def _too_many(row: Overrule, most: float) -> Iterator[str]:
    points = abs(row.points if row.points is not None else row.adjustment or 0.0)
    if points > most:
        yield wrong_row(row.place, f"{number(points)} points, and there are {number(most)}; a "
                        "bonus is written as an adjustment")  # fmt: skip


def _twice(rows: tuple[Overrule, ...]) -> Iterator[str]:
    """Of two rows that give points for the same, neither can be said to count."""
    subjects: set[tuple[str, bool]] = set()
    for row in rows:
        subject = (row.slug, bool(row.handed_in))
        if row.points is not None or row.handed_in:
            if subject in subjects:
                yield wrong_row(row.place, "the same is decided twice")
            subjects.add(subject)


# Reading the table


def _csv(path: Path) -> Iterator[tuple[str, Cells]]:
    sheet = read_sheet(path)
    _check_fields(path, sheet.headings)
    if "student" not in sheet.headings:
        raise UserError(f"{path} has no column student")
    for place, cells in sheet.records():
        yield f"{path}, line {place}", cells


def _toml(path: Path) -> Iterator[tuple[str, Cells]]:
    tables = read_toml(path)
    rows: Any = tables.get(TABLE)
    are_tables = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    if not are_tables or len(tables) > 1:
        raise UserError(f"{path} has to consist of tables [[{TABLE}]]")
    for place, row in enumerate(rows, start=1):
        _check_fields(path, row)
        cells = {name: str(value).strip() for name, value in row.items()}
        yield f"{path}, [[{TABLE}]] number {place}", cells


def _check_fields(path: Path, names: Iterable[str]) -> None:
    if unknown := [name for name in names if name not in FIELDS]:
        raise UserError(
            f"{path}: {shown(unknown[0])} is not known here; there is {', '.join(FIELDS)}"
        )


def _overrule(place: str, row: Cells) -> Overrule:
    cells = {name: row.get(name, "") for name in FIELDS}
    if not cells["student"]:
        raise WrongRowError("no student is named")
    if not any(cells[name] for name in FIELDS[2:]):
        raise WrongRowError("neither points, adjustment, comment, reason nor handed_in is given")
    if cells["points"] and cells["adjustment"]:
        raise WrongRowError("points and adjustment cannot both be given: points replace the mark, "
                            "an adjustment is added to it")  # fmt: skip
    slug = exercise_named(cells["exercise"]).slug if cells["exercise"] else ""
    if slug and cells["handed_in"]:
        raise WrongRowError("handed_in is about all of the work: leave the exercise empty")
    if cells["points"].startswith(("+", "-")):
        raise WrongRowError(f"{shown(cells['points'])} has a sign: what is added to a mark belongs "
                            "into the column adjustment")  # fmt: skip
    points, adjustment = _number(cells["points"]), _number(cells["adjustment"])
    texts = line(cells["comment"]), line(cells["reason"]), cells["handed_in"]
    return Overrule(place, cells["student"], slug, points, adjustment, *texts)


def _number(cell: str) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell if "." in cell else cell.replace(",", ".", 1))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WrongRowError(f"{shown(cell)} is not a number of points")
    return value
