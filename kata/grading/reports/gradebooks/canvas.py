"""The gradebook of Canvas, as its importer (lib/gradebook_importer.rb) wants it."""

import re
from collections.abc import Iterator

from kata.errors import UserError
from kata.grading.collecting.names import few
from kata.grading.reports.gradebooks.marks import COLUMN, Given, amount, scaled, worth_of
from kata.grading.reports.gradebooks.roster import Person
from kata.grading.reports.gradebooks.sheet import Sheet
from kata.grading.reports.tables import number
from kata.words import say

OF_STUDENTS = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID",
               "Integration ID", "Root Account", "Section")  # fmt: skip
NAMES = ("Student", "LastName", "FirstName")
OWN, OTHERS = "ID", ("SIS User ID", "SIS Login ID")  # the first is in the names of files
POINTS = "Points Possible"
EXCUSED = "EX"
TITLE = re.compile(r"(.+?)\s*\(\d+\)", re.DOTALL)  # `Masks (4711)`


def recognises(sheet: Sheet) -> bool:
    """`Student,ID,…,Section` or `LastName,FirstName,ID,…,Section`."""
    names = "Student" in sheet.header[0] or sheet.header[:2] == ["LastName", "FirstName"]
    return names and {"ID", "Section"} <= {each.strip() for each in sheet.header}


def people(sheet: Sheet) -> Iterator[Person]:
    """The students, by name in both orders and as in the names of files: `doejane`."""
    own, others = sheet.place(OWN), [sheet.place(each) for each in OTHERS]
    for row in _students(sheet):
        first, last = _name(sheet, row)
        whole = f"{last}, {first}" if first else last
        squeezed = "".join(filter(str.isalnum, f"{last}{first}")).casefold()
        names = (whole, f"{first} {last}".strip(), squeezed)
        numbers = tuple(sheet.cell(row, each) for each in others)
        yield Person(row, whole, (sheet.cell(row, own),), names, numbers)


def _name(sheet: Sheet, row: int) -> tuple[str, str]:
    """First and last."""
    if (place := sheet.place("Student")) < 0:
        return sheet.cell(row, sheet.place("FirstName")), sheet.cell(row, sheet.place("LastName"))
    last, _, first = sheet.cell(row, place).partition(",")
    return first.strip(), last.strip()


def _students(sheet: Sheet) -> Iterator[int]:
    """Rows of students: not `Points Possible`, nor the row about how grades are posted."""
    number = sheet.place(OWN)
    for place, row in enumerate(sheet.rows):
        if POINTS not in row[0] and sheet.cell(place, number):
            yield place


def fill(sheet: Sheet, given: dict[int, Given], most: float, title: str) -> tuple[int, list[str]]:
    """Write the scores into one column, scaled to its points, and remove all other grades."""
    place = _column(sheet, title)
    worth = _worth(sheet, place, most)
    stays = {row: each for row, each in given.items() if sheet.cell(row, place).upper() == EXCUSED}
    scores = {row: scaled(given[row].score, most, worth) for row in given if row not in stays}
    told = [*_told(sheet, place, most, worth)]
    told += (say("gradebooks.excused", student=few([each.student])) for each in stays.values())
    told += _entered(sheet, place, scores)
    sheet.protect(*NAMES, "Section")  # Canvas identifies people by their numbers
    sheet.keep([*sorted(filter(lambda each: each >= 0, map(sheet.place, OF_STUDENTS))), place])
    return len(scores), told


def _told(sheet: Sheet, place: int, most: float, worth: float) -> Iterator[str]:
    """Warnings: other points than here, and a new column."""
    if worth != most:
        yield say("gradebooks.scaled", most=number(most), worth=number(worth))
    others = _assignments(sheet)
    if others and sheet.header[place] not in others:
        yield say("gradebooks.new-column", title=COLUMN, names=few(others))


def _entered(sheet: Sheet, place: int, scores: dict[int, str]) -> Iterator[str]:
    """Write the scores, and tell how many existing grades they replace."""
    replaced = 0
    for row, now in scores.items():
        before = sheet.cell(row, place)
        replaced += bool(before) and amount(before) != amount(now)
        sheet.rows[row][place] = now
    if replaced:
        key = "gradebooks.replaced-one" if replaced == 1 else "gradebooks.replaced"
        yield say(key, count=replaced)


def _assignments(sheet: Sheet) -> list[str]:
    """The columns that can be filled in: Canvas gives them numbers."""
    return [each for each in sheet.header if TITLE.fullmatch(each.strip())]


def _worth(sheet: Sheet, place: int, most: float) -> float:
    """The points of the assignment; if it has none yet, those of the grader."""
    points = _points(sheet)
    if not sheet.cell(points, place):
        sheet.rows[points][place] = number(most)
    return worth_of(sheet.cell(points, place), most, sheet.path)


def _column(sheet: Sheet, title: str) -> int:
    """The column of the assignment; a new one if none is named: Canvas asks what to do with it."""
    wanted = title or COLUMN
    there = [each for each in sheet.header if each not in OF_STUDENTS]
    fitting = [each for each in there if wanted in {each, _title(each)}]
    if wanted in fitting or len(fitting) == 1:
        return sheet.header.index(wanted if wanted in fitting else fitting[0])
    if fitting:
        raise UserError(say("gradebooks.columns", title=wanted, names=few(fitting)))
    if title:
        names = few(_assignments(sheet)) or say("gradebooks.none")
        raise UserError(say("gradebooks.no-column", title=title, names=names))
    return sheet.add(wanted)


def _title(name: str) -> str:
    match = TITLE.fullmatch(name.strip())
    return match[1] if match else name.strip()


def _points(sheet: Sheet) -> int:
    """The row with the points of the assignments, added if it is missing."""
    for place, row in enumerate(sheet.rows):
        if POINTS in row[0]:
            return place
    sheet.rows.append([f"    {POINTS}", *[""] * (len(sheet.header) - 1)])
    return len(sheet.rows) - 1
