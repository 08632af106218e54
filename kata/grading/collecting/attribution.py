"""Whose work it is where names leave that open: what the instructor says, and numbers in names.

`--names` is a table:

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
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from kata.errors import UserError
from kata.files import spreadsheet_text
from kata.grading.collecting.names import REPEATED, few, fold, version_in, without_suffix
from kata.grading.collecting.places import Location
from kata.grading.collecting.python_files import NOT_UTF8
from kata.text import clean, shown

HANDED_IN, STUDENT = "handed_in", "student"
DELIMITERS = (",", ";", "\t")
LARGEST = 16 << 20  # bytes
MORE = 2  # versions of one name, or it is a name like any other
Tell = Callable[[str], object]


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    number: int
    handed_in: str
    student: str


@dataclass(frozen=True)
class NamesTable:
    """The whole table, by what was handed in."""

    path: Path = Path()
    rows: dict[str, Row] = field(default_factory=dict)

    def applied_to(self, places: list[Location], tell: Tell) -> list[Location]:
        """The same places with the names of the table; names of nothing are told in one line."""
        rows = [self._row(place) for place in places]
        self._check_namesakes(places, rows)
        used = {row.number for row in rows if row}
        unknown = [row.handed_in for row in self.rows.values() if row.number not in used]
        if unknown:
            tell(clean(f"{self.path} names what was not handed in: {few(unknown)}"))
        return [*_renamed(places, rows)]

    def _row(self, place: Location) -> Row | None:
        """The line about a place; a UserError if two lines name two people."""
        name = place.path.name
        keys = map(fold, (name, without_suffix(name), place.label.student, place.label.id))
        rows = [self.rows[key] for key in dict.fromkeys(keys) if key in self.rows]
        for row in rows[1:]:
            self._check_alike(name, rows[0], row)
        return rows[0] if rows else None

    def _check_alike(self, name: str, first: Row, second: Row) -> None:
        if fold(first.student) != fold(second.student):
            one = f"{shown(first.student)} in line {first.number}"
            other = f"{shown(second.student)} in line {second.number}"
            raise UserError(clean(f"{self.path}: {shown(name)} is {one} and {other}"))

    def _check_namesakes(self, places: list[Location], rows: list[Row | None]) -> None:
        """A name that two people share does not say whose work is meant."""
        numbers: dict[int, set[str]] = {}
        for place, row in zip(places, rows, strict=True):
            if row and fold(row.handed_in) == fold(place.label.student):
                numbers.setdefault(row.number, set()).add(place.label.id)
        for row in self.rows.values():
            if len(ids := numbers.get(row.number, set())) > 1:
                several = f"several people are called {shown(row.handed_in)}"
                text = f"{several}; name them by number: {few(sorted(filter(None, ids)))}"
                raise UserError(clean(f"{self.path}, line {row.number}: {text}"))


@dataclass(frozen=True)
class Attribution:
    """What an instructor says, beyond what the names of files and folders say."""

    names: NamesTable = field(default_factory=NamesTable)
    resubmissions: bool = False  # whether the number in `Wei Zhang (2)` counts hand-ins, not people

    def applied_to(self, places: list[Location], tell: Tell, ask: Tell) -> list[Location]:
        """The same places with the names of the table, and later uploads marked as such.

        Who may be two people is asked once. No student reads it on a page: it names another one.
        """
        namesakes: list[str] = []
        named = self.names.applied_to(places, tell)
        marked = [*_with_uploads(named, namesakes, resubmissions=self.resubmissions)]
        if namesakes:
            taken = "taken for people of their own, in spite of the number at the end"
            later = "such folders are later hand-ins of the same person"
            ask(f"{taken}: {few(namesakes)}; with --resubmissions {later}")
        return marked


def _renamed(places: list[Location], rows: list[Row | None]) -> Iterator[Location]:
    """What is one person's has one number, or none."""
    ids: dict[str, set[str]] = {}
    for place, row in zip(places, rows, strict=True):
        if row:
            ids.setdefault(fold(row.student), set()).add(place.label.id)
    for place, row in zip(places, rows, strict=True):
        if row:
            number = place.label.id if len(ids[fold(row.student)]) == 1 else ""
            yield replace(place, label=replace(place.label, student=row.student, id=number))
        else:
            yield place


def _with_uploads(
    places: list[Location], namesakes: list[str], *, resubmissions: bool
) -> Iterator[Location]:
    """Take numbers in brackets, and of versions, for later uploads: `alice (1).zip`, `alice_v2`.

    Browsers write the first into names of files, and people the second. Nobody numbers folders so
    but a person who sorts them: `Wei Zhang (2)` is another Wei Zhang, unless the instructor says
    that it is a re-submission.
    """
    own = [place.label.student for place in places if not place.label.decorated]
    names, versions = {*map(fold, own)}, Counter(fold(version_in(name)[0]) for name in own)
    for place in places:
        student = place.label.student
        bracket, (base, number) = REPEATED.fullmatch(student), version_in(student)
        if bracket and fold(bracket[1]) in names:
            base, number = bracket[1], int(bracket[2])
        elif not base or versions[fold(base)] < MORE:
            number = 0
        is_folder = place.label.file.endswith("/")
        if place.label.decorated or not number:
            yield place
        elif is_folder and not resubmissions:
            namesakes.append(student)
            yield place
        else:
            yield replace(place, label=replace(place.label, student=base, order=number))


def read_names(path: Path) -> NamesTable:
    """The table in this file; a UserError says what is wrong with it."""
    text = _text(path)
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
    try:
        lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    except csv.Error as error:
        raise _unread(path, str(error)) from None
    header = [cell.strip().casefold() for cell in lines[0]] if lines else []
    if not {HANDED_IN, STUDENT} <= {*header}:
        raise UserError(clean(f"{path} needs the columns {HANDED_IN} and {STUDENT}"))
    columns = header.index(HANDED_IN), header.index(STUDENT)
    table = NamesTable(path)
    for number, cells in enumerate(lines[1:], 2):
        handed_in, student = (cells[at].strip() if at < len(cells) else "" for at in columns)
        if not any(cell.strip() for cell in cells):
            continue
        if not handed_in or not student:
            raise UserError(clean(f"{path}, line {number}: a cell is empty"))
        row = Row(number, handed_in.rstrip("/"), student)
        table._check_alike(handed_in, table.rows.setdefault(fold(row.handed_in), row), row)
    return table


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise _unread(path, error.strerror or str(error)) from None
    if len(content) > LARGEST:
        raise _unread(path, f"it is larger than {LARGEST >> 20} MiB")
    try:
        return spreadsheet_text(content)
    except UnicodeDecodeError:
        raise _unread(path, NOT_UTF8) from None


def _unread(path: Path, reason: str) -> UserError:
    return UserError(clean(f"{path} cannot be read: {reason}"))
