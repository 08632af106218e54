"""The list of a class: who is in it, in which section and in which team."""

from collections.abc import Iterator
from pathlib import Path

from kata.errors import UserError
from kata.grading.adjusting.people import Person
from kata.grading.reports import sheet
from kata.grading.reports.sheet import Sheet
from kata.text import line
from kata.words import say

# The headings of a roster of one's own come first, then those of platforms' exports.
HEADINGS = {
    "name": ("name", "full name", "student", "student name", "roster identifier"),
    "first": ("first name", "firstname", "given name"),
    "last": ("last name", "lastname", "surname", "family name"),
    "id": ("id", "student id", "user id", "id number", "sid", "number", "identifier"),
    "other": ("sis user id",),
    "login": ("login", "username", "github username", "sis login id"),
    "email": ("email", "email address", "e-mail", "mail"),
    "section": ("section", "sections", "tutorial"),
    "team": ("team", "team name", "group", "groups"),
    "handed_in": ("handed in", "submission timestamp", "last modified (submission)"),
}
WHO = ("name", "first", "last", "id", "login", "email")
NOT_A_PERSON = ("points possible", "student, test")  # rows of Canvas


def read(path: Path) -> list[Person]:
    """Everybody in the table; a UserError says why it cannot be read."""
    table = sheet.read(path)
    columns = _columns(table.header)
    if not columns.keys() & {*WHO}:
        raise UserError(say("adjusting.no-roster", path=path))
    found = [_person(table, row, columns) for row in range(len(table.rows))]
    return [each for each in found if each.name and fold_name(each.name) not in NOT_A_PERSON]


def _columns(header: list[str]) -> dict[str, int]:
    """The place of each column that is known: of several headings for one, the first counts."""
    titles = [" ".join(each.replace("_", " ").split()).casefold() for each in header]
    return {
        field: titles.index(found[0])
        for field, names in HEADINGS.items()
        if (found := [each for each in names if each in titles])
    }


def _person(table: Sheet, row: int, columns: dict[str, int]) -> Person:
    cells = {name: line(table.cell(row, columns.get(name, -1))) for name in HEADINGS}
    ids = tuple(dict.fromkeys(filter(None, (_number(cells["id"]), cells["other"]))))
    name = cells["name"] or f"{cells['first']} {cells['last']}".strip()
    rest = {each: cells[each] for each in ("login", "email", "section", "team", "handed_in")}
    called = next(iter(_called(name, cells["login"], cells["email"], *ids)), "")
    return Person(called, ids, **rest)


def _called(*names: str) -> Iterator[str]:
    return filter(None, names)


def _number(cell: str) -> str:
    """`101` for Moodle's `Participant 101`."""
    return cell.removeprefix("Participant ").strip()


def fold_name(name: str) -> str:
    """For comparison with rows that are no people."""
    return " ".join(name.casefold().split())
