"""Moodle: an assignment's grading worksheet, the export of the gradebook, and names of feedback.

Called by `uploads` alone; it changes the table it is given, and writes no file. Moodle writes into
a worksheet identifier, names, …, grade, maximum grade, whether it can be changed, …, in this order
(mod/assign/gradingtable.php). Where headings are not known, the shape of the table tells: the first
column holds `Participant 101`, and one other the same number of points in every row. Of an upload,
Moodle splits the name of a folder at its first underscores, and finds the student by the number
(mod/assign/feedback/file/importziplib.php, `is_valid_filename_for_import`).
"""

import html
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kata.class_verdict import SubmissionVerdict
from kata.grading.collecting.names import MOODLE, few
from kata.grading.people import Person
from kata.grading.reports.gradebook import TITLE, Grade, scaled, scaling, worth_of
from kata.grading.tables import Sheet, amount, harmless
from kata.text import shown

HEADINGS = Path(__file__).with_name("moodle_headings.toml")
IDENTIFIER = re.compile(r"(\D*?)\s*(\d+)")  # `Participant 101`, `Teilnehmer/in101`
FEWEST_COLUMNS = 5  # identifier, grade, maximum, whether it can be changed, and a date
FEEDBACK = "Feedback comments"
OF_STUDENTS = ("first", "last", "number", "username", "mail")
PAGE = "feedback.html"
UNSAFE = str.maketrans("_/\\", "   ")  # in a full name, which only people read


@cache
def headings() -> dict[str, list[str]]:
    """What a column is called, in several languages, by what is in it."""
    names: dict[str, list[str]] = tomllib.loads(HEADINGS.read_text(encoding="utf-8"))
    return names


def column(sheet: Sheet, kind: str) -> int:
    """The first column with one of the headings of this kind; -1 if there is none."""
    places = map(sheet.place, headings()[kind])
    return min((place for place in places if place >= 0), default=-1)


@dataclass(frozen=True)
class Worksheet:
    """The indices of its columns, -1 for each that there is not.

    Attributes:
        by_shape: whether headings were not known, so that the shape of the table has told.
        in_english: whether a column for comments may be added: Moodle reads it by its heading.
    """

    identifier: int
    name: int
    grade: int
    maximum: int
    feedback: int
    changeable: int
    by_shape: bool
    in_english: bool


def worksheet(sheet: Sheet) -> Worksheet | None:
    """`Identifier,Full name,…,Grade,…`; without names where marking is anonymous.

    Known by its headings or else by its shape; None if it is another table.
    """
    identifier = column(sheet, "identifier")
    grade, maximum = column(sheet, "grade"), column(sheet, "maximum")
    in_english, by_shape = sheet.place("Identifier") >= 0, False
    by_heading = identifier >= 0 and grade >= 0
    if not by_heading or not (in_english or _is_identifier(sheet, identifier)):
        if len(sheet.header) < FEWEST_COLUMNS or not _is_identifier(sheet, 0):
            return None
        maxima = [*_maxima(sheet)]
        if len(maxima) != 1:
            return None
        identifier, grade, maximum, by_shape = 0, maxima[0] - 1, maxima[0], True
    name, feedback, changeable = (
        column(sheet, kind) for kind in ("full-name", "feedback", "changeable")
    )
    return Worksheet(identifier, name, grade, maximum, feedback, changeable, by_shape,
                     in_english and not by_shape)  # fmt: skip


def _is_identifier(sheet: Sheet, column: int) -> bool:
    """Whether all cells are one word and a number, which no other has."""
    matches = [IDENTIFIER.fullmatch(cell) for cell in _cells(sheet, column)]
    named = [match for match in matches if match and match[1].strip()]
    words, numbers = {match[1] for match in named}, {match[2] for match in named}
    return len(named) == len(matches) == len(numbers) and len(words) == 1


def _maxima(sheet: Sheet) -> Iterator[int]:
    """Columns with the same points in every row, behind one with no more than that."""
    for place in range(2, len(sheet.header)):
        points = {amount(cell) for cell in _cells(sheet, place)}
        most = points.pop() if len(points) == 1 else None
        before = [amount(cell) for cell in _cells(sheet, place - 1) if cell]
        if most and all(points is not None and points <= most for points in before):
            yield place


def _cells(sheet: Sheet, column: int) -> list[str]:
    return [sheet.cell(row, column) for row in range(len(sheet.rows))]


def worksheet_people(sheet: Sheet) -> Iterator[Person]:
    """The students, by the number in `Participant 101`, which names of files contain, too."""
    columns = worksheet(sheet)
    assert columns
    for row in range(len(sheet.rows)):
        identifier, name = sheet.cell(row, columns.identifier), sheet.cell(row, columns.name)
        match = IDENTIFIER.fullmatch(identifier)
        ids = (match[2],) if match else ()
        yield Person(name or identifier, ids, spellings=(identifier,), row=row)


def fill_worksheet(
    sheet: Sheet, grades: dict[int, Grade], most: float, _: str
) -> tuple[int, list[str]]:
    """Write grades, scaled to the points of the assignment, and comments; keep all else."""
    columns = worksheet(sheet)
    assert columns
    feedback = columns.feedback
    if feedback < 0 and columns.in_english:
        feedback = sheet.add(FEEDBACK)
    # Also of rows without a grade: one bad cell makes the export invalid.
    worths = [worth_of(cell, most, sheet.path) for cell in _cells(sheet, columns.maximum)]
    lines = dict.fromkeys(_on_columns(sheet, columns, feedback))
    no = {word.casefold() for word in headings()["locked"]}
    locked = {row for row in grades if sheet.cell(row, columns.changeable).casefold() in no}
    for student in (grade.student for row, grade in grades.items() if row in locked):
        lines[f"{few([student])}: this grade is locked on the platform, left unchanged"] = None
    entered = {row: grade for row, grade in grades.items() if row not in locked}
    for row, grade in entered.items():
        if worths[row] != most:
            lines[scaling(most, worths[row])] = None
        if grade.score > most:
            lines[f"{few([grade.student])} has more points than there are, and Moodle takes no "
                  "more: written as the maximum"] = None  # fmt: skip
        score = scaled(min(grade.score, most), most, worths[row])
        sheet.rows[row][columns.grade] = score
        if feedback >= 0:
            sheet.rows[row][feedback] = _comment(grade)
    sheet.protect(*(name for kind in ("full-name", "online", "mail") for name in headings()[kind]))
    return len(entered), list(lines)


def _on_columns(sheet: Sheet, columns: Worksheet, feedback: int) -> Iterator[str]:
    """Which columns were taken, if their headings did not say it."""
    if columns.by_shape:
        grade, maximum = (shown(sheet.header[at]) for at in (columns.grade, columns.maximum))
        yield (f"the headings of this worksheet are not known: by its shape, grades are in {grade},"
               f" and the most that can be reached in {maximum}")  # fmt: skip
    if feedback < 0:
        yield "no column for comments was recognised: only grades were filled in"
    if columns.changeable < 0 and not columns.in_english:
        yield "which grades are locked on the platform could not be told: they were filled in, too"


def is_gradebook(sheet: Sheet) -> bool:
    """`First name,Last name,…,Email address,…`."""
    first, last, *others = (column(sheet, kind) for kind in OF_STUDENTS)
    return first >= 0 and last >= 0 and max(others) >= 0


def gradebook_people(sheet: Sheet) -> Iterator[Person]:
    """The students, by name in both orders, username and address; ID numbers are not Moodle's."""
    columns = [column(sheet, kind) for kind in OF_STUDENTS]
    for row in range(len(sheet.rows)):
        first, last, number, login, mail = (sheet.cell(row, place) for place in columns)
        name, *spellings = f"{first} {last}".strip(), f"{last} {first}".strip(), f"{last}, {first}"
        yield Person(name, (), login, mail, spellings=tuple(spellings), foreign_ids=(number,),
                     row=row)  # fmt: skip


def fill_gradebook(
    sheet: Sheet, grades: dict[int, Grade], most: float, title: str
) -> tuple[int, list[str]]:
    """The names and two new columns; Moodle asks what these belong to."""
    wanted = title or TITLE
    by_people = (column(sheet, kind) for kind in ("first", "last", "mail"))
    names = [sheet.header[place] for place in by_people if place >= 0]
    sheet.keep(sorted({place for kind in OF_STUDENTS if (place := column(sheet, kind)) >= 0}))
    score, feedback = sheet.add(wanted), sheet.add(f"{wanted} (feedback)")
    for row, grade in grades.items():
        sheet.rows[row][score] = scaled(grade.score, most, most)
        sheet.rows[row][feedback] = _comment(grade)
    sheet.protect(*names)
    return len(grades), []


def _comment(grade: Grade) -> str:
    """Moodle shows comments as HTML."""
    return harmless(html.escape(grade.feedback, quote=False))


def upload_name(verdict: SubmissionVerdict) -> str:
    """The path of this student's feedback in an upload; empty if Moodle did not name the work."""
    match = MOODLE.match(verdict.upload)
    if not match or not match["id"]:
        return ""
    return f"{match['student'].translate(UNSAFE)}_{match['id']}_assignsubmission_file_/{PAGE}"
