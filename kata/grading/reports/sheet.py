"""A table that a learning platform exports as CSV and imports again."""

import csv
import errno
import io
import math
import re
from dataclasses import dataclass
from pathlib import Path

from kata.errors import UserError
from kata.files import read_named, spreadsheet_text
from kata.grading.reports.tables import harmless, replacing
from kata.grading.reports.wording import DIGITS, number
from kata.text import shown

DELIMITERS = (",", ";", "\t")
LARGEST = 64 * 2**20  # bytes; a course of ten thousand has a tenth of it
MOST_ROWS = 50_000
WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 starts
TITLE = "Attention kata"  # of the assignment, if none is named
BLANK = re.compile(r"(?<=\d)[\s'\u2019](?=\d{3})")  # between thousands: 1 000
POINT = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+\.\d+")  # 50, 50.00 and 1,000.00
# 50,0 and 1.000,00, but not 1,000, which is ambiguous: one or a thousand.
COMMA = re.compile(r"\d+,(?!\d{3}$)\d+|\d{1,3}(?:\.\d{3})+,\d+")


@dataclass
class Sheet:
    """Lines of equal length, the first of which names the columns."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str

    def place(self, name: str) -> int:
        """The index of this column; -1 if there is none."""
        names = [heading.strip().casefold() for heading in self.header]
        return names.index(name.casefold()) if name.casefold() in names else -1

    def cell(self, row: int, column: int) -> str:
        """The content of a cell; empty if the column does not exist."""
        return self.rows[row][column].strip() if column >= 0 else ""

    def add(self, name: str) -> int:
        """The index of this column, added if it is missing."""
        if (place := self.place(name)) >= 0:
            return place
        self.header.append(name)
        for row in self.rows:
            row.append("")
        return len(self.header) - 1

    def keep(self, places: list[int]) -> None:
        """Drop all columns but these."""
        self.header = [self.header[place] for place in places]
        self.rows = [[row[place] for place in places] for row in self.rows]

    def protect(self, *names: str) -> None:
        """Defuse formulas in these columns, which people have filled and the platform ignores."""
        for place in map(self.place, names):
            for row in self.rows if place >= 0 else ():
                row[place] = harmless(row[place])

    def write(self, path: Path) -> None:
        """Write it in UTF-8, with its own delimiter."""
        with replacing(path) as file:
            lines = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
            lines.writerows([self.header, *self.rows])


@dataclass(frozen=True)
class Person:
    """A student in the table: the row, and how the platform names them."""

    row: int
    shown: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...] = ()  # numbers of other systems, which only confirm a name

    @property
    def numbers(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(filter(None, (*self.ids, *self.others)))


@dataclass(frozen=True)
class Grade:
    """What a gradebook gets for one student: a score, and a few words of feedback."""

    student: str
    score: float
    feedback: str


def read(path: Path) -> Sheet:
    """Read the export of a platform; a UserError says why it cannot be read."""
    text = _text(path).lstrip()
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        table = [row for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UserError(f"{path} is not a CSV table: {error}") from None
    if not table:
        raise UserError(f"{path} is empty: expected the platform's gradebook, exported as CSV")
    header, *rows = table
    if len(rows) > MOST_ROWS:
        raise UserError(f"{path} has more than {MOST_ROWS:,} rows")
    if longer := [row for row in rows if len(row) > len(header)]:
        place = 1 + table.index(longer[0])
        raise UserError(f"{path}: line {place} of the table has more cells than the first, which "
                        "names the columns")  # fmt: skip
    filled = [row + [""] * (len(header) - len(row)) for row in rows]
    return Sheet(path, header, filled, delimiter)


def _text(path: Path) -> str:
    try:
        content = read_named(path, LARGEST)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise UserError(f"{path} is larger than {LARGEST // 2**20} MiB") from None
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return spreadsheet_text(content)
    except UnicodeDecodeError:
        problem = (
            "is UTF-16 text: save it as CSV in UTF-8, or export it again as CSV"
            if content.startswith(WIDE)
            else "is not UTF-8 text: choose UTF-8 where the platform asks for the encoding, or "
            "save it as CSV in UTF-8"
        )
        raise UserError(f"{path} {problem}") from None


def scaled(score: float, most: float, worth: float) -> str:
    """The score scaled from `most` points to `worth` points."""
    return number(score / most * worth if most else 0.0, DIGITS)


def scaling(most: float, worth: float) -> str:
    """That other points count on the platform."""
    return (f"a full score of {number(most)} here is {number(worth)} there: "
            "all grades were scaled")  # fmt: skip


def worth_of(cell: str, most: float, path: Path) -> float:
    """The points of an assignment, `most` if the cell is empty; a UserError if it is no number."""
    value = amount(cell)
    if cell and value is None:
        raise UserError(f"{path}: {shown(cell)} is not a number of points: write it like 1000.00")
    return value or most


def amount(text: str) -> float | None:
    """The number in a cell, with a decimal point or comma; None if it is ambiguous."""
    digits = BLANK.sub("", text)
    if POINT.fullmatch(digits):
        value = float(digits.replace(",", ""))
    elif COMMA.fullmatch(digits):
        value = float(digits.replace(".", "").replace(",", "."))
    else:
        return None
    return value if math.isfinite(value) else None
