"""Which columns of Moodle's grading worksheet are which, in any language.

Moodle writes identifier, names, …, grade, maximum grade, whether it can be changed, …, in this
order (mod/assign/gradingtable.php). Where headings are not known, the shape of the table tells: the
first column holds `Participant 101`, and one other the same number of points in every row.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kata.grading.reports.gradebooks.marks import amount
from kata.grading.reports.gradebooks.sheet import Sheet

HEADINGS = Path(__file__).with_name("moodle_headings.toml")
IDENTIFIER = re.compile(r"(\D*?)\s*(\d+)")  # `Participant 101`, `Teilnehmer/in101`
FEWEST = 5  # columns: identifier, grade, maximum, whether it can be changed, and a date


@dataclass(frozen=True)
class Worksheet:
    """The indices of its columns, -1 for each that there is not.

    Attributes:
        by_shape: whether headings were not known, so that the shape of the table has told.
    """

    identifier: int
    name: int
    grade: int
    maximum: int
    feedback: int
    changeable: int
    by_shape: bool = False


@cache
def headings() -> dict[str, list[str]]:
    """What a column is called, in several languages, by what is in it."""
    found: dict[str, list[str]] = tomllib.loads(HEADINGS.read_text(encoding="utf-8"))
    return found


def column(sheet: Sheet, kind: str) -> int:
    """The first column with one of the headings of this kind; -1 if there is none."""
    places = map(sheet.place, headings()[kind])
    return min((each for each in places if each >= 0), default=-1)


def worksheet(sheet: Sheet) -> Worksheet | None:
    """Its columns, by their headings or else by the shape of the table; None if it is another."""
    identifier = column(sheet, "identifier")
    grade, maximum = column(sheet, "grade"), column(sheet, "maximum")
    by_heading = identifier >= 0 and grade >= 0
    if by_heading and (_is_identifier(sheet, identifier) or sheet.place("Identifier") >= 0):
        return _of(sheet, identifier, grade, maximum, by_shape=False)
    found = [*_maxima(sheet)] if len(sheet.header) >= FEWEST and _is_identifier(sheet, 0) else []
    return _of(sheet, 0, found[0] - 1, found[0], by_shape=True) if len(found) == 1 else None


def _of(sheet: Sheet, identifier: int, grade: int, maximum: int, *, by_shape: bool) -> Worksheet:
    name, feedback = column(sheet, "full-name"), column(sheet, "feedback")
    changeable = column(sheet, "changeable")
    return Worksheet(identifier, name, grade, maximum, feedback, changeable, by_shape)


def number_of(identifier: str) -> str:
    """The number in `Participant 101`; empty if there is none."""
    match = IDENTIFIER.fullmatch(identifier)
    return match[2] if match else ""


def _is_identifier(sheet: Sheet, place: int) -> bool:
    """Whether all cells are one word and a number, which no other has."""
    cells = [IDENTIFIER.fullmatch(sheet.cell(row, place)) for row in range(len(sheet.rows))]
    found = [each for each in cells if each and each[1].strip()]
    words, numbers = {each[1] for each in found}, {each[2] for each in found}
    return len(found) == len(cells) == len(numbers) and len(words) == 1


def _maxima(sheet: Sheet) -> Iterator[int]:
    """Columns with the same points in every row, behind one with no more than that."""
    for place in range(2, len(sheet.header)):
        points = {amount(each) for each in _cells(sheet, place)}
        most = points.pop() if len(points) == 1 else None
        before = [amount(each) for each in _cells(sheet, place - 1) if each]
        if most and all(each is not None and each <= most for each in before):
            yield place


def _cells(sheet: Sheet, place: int) -> list[str]:
    return [sheet.cell(row, place) for row in range(len(sheet.rows))]
