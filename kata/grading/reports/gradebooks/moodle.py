"""Two tables of Moodle: an assignment's grading worksheet, and the export of the gradebook."""

import html
from collections.abc import Iterator

from kata.grading.collecting.names import few
from kata.grading.reports.gradebooks.marks import COLUMN, Given, scaled, worth_of
from kata.grading.reports.gradebooks.roster import Person
from kata.grading.reports.gradebooks.sheet import Sheet
from kata.grading.reports.gradebooks.worksheet import (
    Worksheet,
    column,
    headings,
    number_of,
    worksheet,
)
from kata.grading.reports.tables import harmless, number
from kata.text import shown
from kata.words import say

FEEDBACK = "Feedback comments"


def is_worksheet(sheet: Sheet) -> bool:
    """`Identifier,Full name,…,Grade,…`; without names where marking is anonymous."""
    return worksheet(sheet) is not None


def is_gradebook(sheet: Sheet) -> bool:
    """`First name,Last name,…,Email address,…`."""
    known = max(column(sheet, each) for each in ("number", "mail", "username"))
    return column(sheet, "first") >= 0 and column(sheet, "last") >= 0 and known >= 0


def in_worksheet(sheet: Sheet) -> Iterator[Person]:
    """The students, by the number in `Participant 101`, which names of files contain, too."""
    found = worksheet(sheet)
    for row in range(len(sheet.rows)) if found else ():
        assert found
        identifier, name = sheet.cell(row, found.identifier), sheet.cell(row, found.name)
        yield Person(row, name or identifier, (number_of(identifier),), (name, identifier))


def in_gradebook(sheet: Sheet) -> Iterator[Person]:
    """The students, by name in both orders, username and address; ID numbers are not Moodle's."""
    kinds = ("first", "last", "number", "username", "mail")
    places = [column(sheet, each) for each in kinds]
    for row in range(len(sheet.rows)):
        first, last, number, *called = (sheet.cell(row, each) for each in places)
        names = (f"{first} {last}".strip(), f"{last} {first}".strip(), f"{last}, {first}")
        yield Person(row, names[0], (), (*names, *called), (number,))


def fill_worksheet(
    sheet: Sheet, given: dict[int, Given], most: float, _: str
) -> tuple[int, list[str]]:
    """Write grades, scaled to the points of the assignment, and comments; keep all else."""
    found = worksheet(sheet)
    assert found
    feedback = _feedback(sheet, found)
    worths = [*_worths(sheet, found, most)]
    locked = {row: each for row, each in given.items() if _is_locked(sheet, found, row)}
    told = dict.fromkeys(_on_columns(sheet, found, feedback))
    told |= dict.fromkeys(
        say("gradebooks.locked", student=few([e.student])) for e in locked.values()
    )
    unlocked = {row: each for row, each in given.items() if row not in locked}
    for row, each in unlocked.items():
        if worths[row] != most:
            told[say("gradebooks.scaled", most=number(most), worth=number(worths[row]))] = None
        if each.score > most:
            told[say("gradebooks.above", student=few([each.student]))] = None
        sheet.rows[row][found.grade] = scaled(min(each.score, most), most, worths[row])
        if feedback >= 0:
            sheet.rows[row][feedback] = _page(each.feedback)
    kinds = ("full-name", "online", "mail")
    sheet.protect(*(name for kind in kinds for name in headings()[kind]))
    return len(unlocked), list(told)


def _feedback(sheet: Sheet, found: Worksheet) -> int:
    """The column of comments; in English it is added: Moodle reads it by its heading."""
    if found.feedback < 0 and _is_english(sheet, found):
        return sheet.add(FEEDBACK)
    return found.feedback


def _is_english(sheet: Sheet, found: Worksheet) -> bool:
    return sheet.place("Identifier") >= 0 and not found.by_shape


def _on_columns(sheet: Sheet, found: Worksheet, feedback: int) -> Iterator[str]:
    """Which columns were taken, if their headings did not say it."""
    if found.by_shape:
        grade, maximum = (shown(sheet.header[each]) for each in (found.grade, found.maximum))
        yield say("gradebooks.by-shape", grade=grade, maximum=maximum)
    if feedback < 0:
        yield say("gradebooks.no-comments")
    if found.changeable < 0 and not _is_english(sheet, found):
        yield say("gradebooks.no-locks")


def _worths(sheet: Sheet, found: Worksheet, most: float) -> Iterator[float]:
    """The points of each row, also without a grade: one bad cell makes the export invalid."""
    for row in range(len(sheet.rows)):
        yield worth_of(sheet.cell(row, found.maximum), most, sheet.path)


def _is_locked(sheet: Sheet, found: Worksheet, row: int) -> bool:
    locked = {each.casefold() for each in headings()["locked"]}
    return sheet.cell(row, found.changeable).casefold() in locked


def fill_gradebook(
    sheet: Sheet, given: dict[int, Given], most: float, title: str
) -> tuple[int, list[str]]:
    """The names and two new columns; Moodle asks what these belong to."""
    wanted = title or COLUMN
    kinds = ("first", "last", "number", "username", "mail")
    own = (column(sheet, kind) for kind in ("first", "last", "mail"))  # that people choose
    names = [sheet.header[each] for each in own if each >= 0]
    sheet.keep(sorted({place for each in kinds if (place := column(sheet, each)) >= 0}))
    grade, feedback = sheet.add(wanted), sheet.add(say("gradebooks.feedback", title=wanted))
    for row, each in given.items():
        sheet.rows[row][grade] = scaled(each.score, most, most)
        sheet.rows[row][feedback] = _page(each.feedback)
    sheet.protect(*names)
    return len(given), []


def _page(feedback: str) -> str:
    """Moodle shows comments as HTML."""
    return harmless(html.escape(feedback, quote=False))
