"""What an instructor has decided about marks: a table that is kept by hand."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.files import read_toml
from kata.grading.reports import sheet
from kata.grading.reports.wording import number
from kata.text import line, shown
from kata.words import say

FIELDS = ("student", "exercise", "points", "adjustment", "comment", "reason", "handed_in")
TABLE = "overrule"  # in TOML: [[overrule]]
MOST_TOLD = 20  # lines about one file


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


class WrongRowError(Exception):
    """A row that cannot be used; the text says why."""


def read(path: Path) -> list[Overrule]:
    """All rows of a CSV or TOML file; a UserError has a line for each that cannot be used."""
    rows = _toml(path) if path.suffix.casefold() == ".toml" else _csv(path)
    found: list[Overrule] = []
    told: list[str] = []
    for place, row in rows:
        try:
            found.append(_overrule(place, row))
        except (WrongRowError, UserError) as error:
            told.append(say("adjusting.wrong-row", place=place, reason=error))
    refuse(told)
    return found


def refuse(told: list[str]) -> None:
    """Raise a UserError with these lines, if there are any."""
    if told:
        more = [say("adjusting.more", count=len(told) - MOST_TOLD)] if len(told) > MOST_TOLD else []
        raise UserError("\n".join([*told[:MOST_TOLD], *more]))


def impossible(found: Iterable[Overrule], most: Callable[[str], float]) -> Iterator[str]:
    """A line for each that asks for more points than there are, or takes as many."""
    for each in found:
        limit = most(each.slug)
        asked = abs(each.points if each.points is not None else each.adjustment or 0.0)
        if asked > limit:
            reason = say("adjusting.too-many", asked=number(asked), most=number(limit))
            yield say("adjusting.wrong-row", place=each.place, reason=reason)


def _csv(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    table = sheet.read(path)
    names = [each.strip().casefold().replace(" ", "_") for each in table.header]
    _check_fields(str(path), names)
    if "student" not in names:
        raise UserError(say("adjusting.no-student-column", path=path))
    for place, row in enumerate(table.rows, start=2):
        cells = {name: cell.strip() for name, cell in zip(names, row, strict=True)}
        yield say("adjusting.row", path=path, row=place), cells


def _toml(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        found = read_toml(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(say("adjusting.closed", path=path, reason=reason)) from None
    rows = found.get(TABLE)
    if not isinstance(rows, list) or len(found) > 1:
        raise UserError(say("adjusting.no-table", path=path))
    for place, row in enumerate(rows, start=1):
        _check_fields(str(path), row)
        yield say("adjusting.entry", path=path, row=place), _cells(row)


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {name: "" if each is None else str(each).strip() for name, each in row.items()}


def _check_fields(path: str, names: Iterable[str]) -> None:
    if unknown := [each for each in names if each not in FIELDS]:
        fields = ", ".join(FIELDS)
        text = say("adjusting.unknown-column", path=path, name=shown(unknown[0]), names=fields)
        raise UserError(text)


def _overrule(place: str, row: dict[str, str]) -> Overrule:
    cells = {name: row.get(name, "") for name in FIELDS}
    if not cells["student"]:
        raise WrongRowError(say("adjusting.no-student"))
    if not any(cells[name] for name in FIELDS[2:]):
        raise WrongRowError(say("adjusting.says-nothing"))
    if cells["points"] and cells["adjustment"]:
        raise WrongRowError(say("adjusting.both"))
    slug = exercise_named(cells["exercise"]).slug if cells["exercise"] else ""
    if slug and cells["handed_in"]:
        raise WrongRowError(say("adjusting.one-time"))
    points, change = _points(cells["points"]), _change(cells["adjustment"])
    texts = line(cells["comment"]), line(cells["reason"]), cells["handed_in"]
    return Overrule(place, cells["student"], slug, points, change, *texts)


def _points(cell: str) -> float | None:
    if cell.startswith(("+", "-")):
        raise WrongRowError(say("adjusting.signed", cell=shown(cell)))
    return _change(cell)


def _change(cell: str) -> float | None:
    """The number in a cell; None if it is empty."""
    if not cell:
        return None
    try:
        value = float(cell if "." in cell else cell.replace(",", ".", 1))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WrongRowError(say("adjusting.no-number", cell=shown(cell)))
    return value
