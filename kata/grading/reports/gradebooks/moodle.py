"""Two tables of Moodle: an assignment's grading worksheet, and the export of the gradebook."""

import html
from collections.abc import Iterator

from kata.grading.collecting.names import few
from kata.grading.reports.gradebooks.marks import COLUMN, Given, scaled, worth_of
from kata.grading.reports.gradebooks.roster import Person
from kata.grading.reports.gradebooks.sheet import Sheet
from kata.grading.reports.tables import harmless, number
from kata.words import say

IDENTIFIER, FULL_NAME = "Identifier", "Full name"
ONLINE = "Online text"  # of the student
GRADE, MAXIMUM, FEEDBACK = "Grade", "Maximum Grade", "Feedback comments"
CHANGEABLE, LOCKED = "Grade can be changed", "no"
FIRST, LAST, NUMBER, MAIL = "First name", ("Last name", "Surname"), "ID number", "Email address"
USERNAME = "Username"


def is_worksheet(sheet: Sheet) -> bool:
    """`Identifier,Full name,…,Grade,…`; without names where marking is anonymous."""
    return sheet.place(IDENTIFIER) >= 0 and sheet.place(GRADE) >= 0


def is_gradebook(sheet: Sheet) -> bool:
    """`First name,Last name,…,Email address,…`."""
    known = max(map(sheet.place, (NUMBER, MAIL, USERNAME)))
    return sheet.place(FIRST) >= 0 and _last(sheet) >= 0 and known >= 0


def _last(sheet: Sheet) -> int:
    return max(map(sheet.place, LAST))


def in_worksheet(sheet: Sheet) -> Iterator[Person]:
    """The students, by the number in `Participant 101`, which names of files contain, too."""
    for row in range(len(sheet.rows)):
        identifier = sheet.cell(row, sheet.place(IDENTIFIER))
        name = sheet.cell(row, sheet.place(FULL_NAME))
        number = identifier.rpartition(" ")[2]
        yield Person(row, name or identifier, (number,), (name, identifier))


def in_gradebook(sheet: Sheet) -> Iterator[Person]:
    """The students, by name in both orders, username and address; ID numbers are not Moodle's."""
    for row in range(len(sheet.rows)):
        first, last = sheet.cell(row, sheet.place(FIRST)), sheet.cell(row, _last(sheet))
        names = (f"{first} {last}".strip(), f"{last} {first}".strip(), f"{last}, {first}")
        called = tuple(sheet.cell(row, sheet.place(each)) for each in (USERNAME, MAIL))
        number = sheet.cell(row, sheet.place(NUMBER))
        yield Person(row, names[0], (), (*names, *called), (number,))


def fill_worksheet(
    sheet: Sheet, given: dict[int, Given], most: float, _: str
) -> tuple[int, list[str]]:
    """Write grades, scaled to the points of the assignment, and comments; keep all else."""
    grade, feedback = sheet.place(GRADE), sheet.add(FEEDBACK)
    worths = [*_worths(sheet, most)]
    locked = {row: each for row, each in given.items() if _is_locked(sheet, row)}
    told = dict.fromkeys(
        say("gradebooks.locked", student=few([e.student])) for e in locked.values()
    )
    unlocked = {row: each for row, each in given.items() if row not in locked}
    for row, each in unlocked.items():
        if worths[row] != most:
            told[say("gradebooks.scaled", most=number(most), worth=number(worths[row]))] = None
        sheet.rows[row][grade] = scaled(each.score, most, worths[row])
        sheet.rows[row][feedback] = _page(each.feedback)
    sheet.protect(FULL_NAME, ONLINE)
    return len(unlocked), list(told)


def _worths(sheet: Sheet, most: float) -> Iterator[float]:
    """The points of each row, also without a grade: one bad cell makes the export invalid."""
    for row in range(len(sheet.rows)):
        yield worth_of(sheet.cell(row, sheet.place(MAXIMUM)), most, sheet.path)


def _is_locked(sheet: Sheet, row: int) -> bool:
    return sheet.cell(row, sheet.place(CHANGEABLE)).casefold() == LOCKED


def fill_gradebook(
    sheet: Sheet, given: dict[int, Given], most: float, title: str
) -> tuple[int, list[str]]:
    """The names and two new columns; Moodle asks what these belong to."""
    wanted = title or COLUMN
    own = [*map(sheet.place, (FIRST, *LAST, NUMBER, USERNAME, MAIL))]
    sheet.keep(sorted(each for each in own if each >= 0))
    grade, feedback = sheet.add(wanted), sheet.add(say("gradebooks.feedback", title=wanted))
    for row, each in given.items():
        sheet.rows[row][grade] = scaled(each.score, most, most)
        sheet.rows[row][feedback] = _page(each.feedback)
    sheet.protect(FIRST, *LAST)
    return len(given), []


def _page(feedback: str) -> str:
    """Moodle shows comments as HTML."""
    return harmless(html.escape(feedback, quote=False))
