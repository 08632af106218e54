"""`--names`: a table of what was handed in, and whose it is.

```
handed_in,student
jd77,Jane Doe
final version.zip,Wei Zhang
```

The first column is the name of a folder, an archive or a file, with or without its suffix; or the
name, login or number that a platform has put into such names.
"""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from kata.errors import UserError
from kata.files import spreadsheet_text
from kata.grading.collecting.names import few, fold, without_suffix
from kata.grading.collecting.places import Location
from kata.text import shown
from kata.words import say

HANDED_IN, STUDENT = "handed_in", "student"
DELIMITERS = (",", ";", "\t")
LARGEST = 16 << 20  # bytes


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    number: int
    handed_in: str
    student: str


@dataclass(frozen=True)
class Names:
    """The whole table, by what was handed in."""

    path: Path = Path()
    rows: dict[str, Row] = field(default_factory=dict)

    def given_to(self, places: list[Location], tell: Callable[[str], object]) -> list[Location]:
        """The same places with the names of the table; unknown ones are told in one line."""
        found = [self._row(each) for each in places]
        self._check_namesakes(places, found)
        used = {each.number for each in found if each}
        unknown = [each.handed_in for each in self.rows.values() if each.number not in used]
        if unknown:
            tell(say("collecting.names-unknown", path=self.path, names=few(unknown)))
        return [*_renamed(places, found)]

    def _row(self, place: Location) -> Row | None:
        """The line about a place; a UserError if two lines name two people."""
        names = (place.path.name, without_suffix(place.path.name), place.label.student,
                 place.label.id)  # fmt: skip
        rows = [self.rows[key] for key in dict.fromkeys(map(fold, names)) if key in self.rows]
        for other in rows[1:]:
            if fold(other.student) != fold(rows[0].student):
                name = shown(place.path.name)
                raise UserError(self._conflict(name, rows[0], other))
        return rows[0] if rows else None

    def _conflict(self, name: str, one: Row, other: Row) -> str:
        return say("collecting.names-conflict", path=self.path, name=name,
                   one=shown(one.student), first=one.number,
                   other=shown(other.student), second=other.number)  # fmt: skip

    def _check_namesakes(self, places: list[Location], found: list[Row | None]) -> None:
        """A name that two people share does not say whose work is meant."""
        numbers: dict[int, set[str]] = {}
        for place, row in zip(places, found, strict=True):
            if row and fold(row.handed_in) == fold(place.label.student):
                numbers.setdefault(row.number, set()).add(place.label.id)
        for row in self.rows.values():
            if len(ids := numbers.get(row.number, set())) > 1:
                raise UserError(say("collecting.names-namesakes", path=self.path,
                                    name=shown(row.handed_in), line=row.number,
                                    ids=few(sorted(filter(None, ids)))))  # fmt: skip


def _renamed(places: list[Location], found: list[Row | None]) -> Iterator[Location]:
    """What is one person's has one number, or none."""
    ids: dict[str, set[str]] = {}
    for place, row in zip(places, found, strict=True):
        if row:
            ids.setdefault(fold(row.student), set()).add(place.label.id)
    for place, row in zip(places, found, strict=True):
        if row:
            own = ids[fold(row.student)]
            number = place.label.id if len(own) == 1 else ""
            yield replace(place, label=replace(place.label, student=row.student, id=number))
        else:
            yield place


def read_names(path: Path) -> Names:
    """The table in this file; a UserError says what is wrong with it."""
    text = _text(path)
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
    try:
        lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    except csv.Error as error:
        raise UserError(say("collecting.names-unread", path=path, reason=error)) from None
    header = [each.strip().casefold() for each in lines[0]] if lines else []
    if not {HANDED_IN, STUDENT} <= {*header}:
        raise UserError(say("collecting.names-columns", path=path))
    places = header.index(HANDED_IN), header.index(STUDENT)
    return Names(path, _rows(path, lines[1:], places))


def _rows(path: Path, lines: list[list[str]], places: tuple[int, int]) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for number, cells in enumerate(lines, 2):
        handed_in, student = (cells[at].strip() if at < len(cells) else "" for at in places)
        if not any(each.strip() for each in cells):
            continue
        if not handed_in or not student:
            raise UserError(say("collecting.names-empty", path=path, line=number))
        row = Row(number, handed_in.rstrip("/"), student)
        known = rows.setdefault(fold(row.handed_in), row)
        if fold(known.student) != fold(student):
            raise UserError(Names(path)._conflict(shown(handed_in), known, row))
    return rows


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(say("collecting.names-unread", path=path, reason=reason)) from None
    if len(content) > LARGEST:
        reason = say("collecting.names-large", size=LARGEST >> 20)
        raise UserError(say("collecting.names-unread", path=path, reason=reason))
    try:
        return spreadsheet_text(content)
    except UnicodeDecodeError:
        reason = say("collecting.not-utf8")
        raise UserError(say("collecting.names-unread", path=path, reason=reason)) from None
