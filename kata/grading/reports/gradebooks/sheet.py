"""A table that a learning platform exports as CSV and imports again."""

import csv
import errno
import io
from dataclasses import dataclass
from pathlib import Path

from kata.errors import UserError
from kata.files import read_named, spreadsheet_text
from kata.grading.reports.tables import harmless, replacing
from kata.words import say

DELIMITERS = (",", ";", "\t")
LARGEST = 64 * 2**20  # bytes; a course of ten thousand has a tenth of it
MOST_ROWS = 50_000
WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 starts


@dataclass
class Sheet:
    """Lines of equal length, the first of which names the columns."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str

    def place(self, name: str) -> int:
        """The index of this column; -1 if there is none."""
        names = [each.strip().casefold() for each in self.header]
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
        self.header = [self.header[each] for each in places]
        self.rows = [[row[each] for each in places] for row in self.rows]

    def protect(self, *names: str) -> None:
        """Defuse formulas in these columns, which people have filled and the platform ignores."""
        for place in filter(lambda each: each >= 0, map(self.place, names)):
            for row in self.rows:
                row[place] = harmless(row[place])


def read(path: Path) -> Sheet:
    """Read the export of a platform; a UserError says why it cannot be read."""
    text = _text(path).lstrip()
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
    try:
        table = _table(text, delimiter)
    except csv.Error as error:
        raise UserError(say("gradebooks.no-table", path=path, reason=error)) from None
    if not table:
        raise UserError(say("gradebooks.empty", path=path))
    header, *rows = table
    if len(rows) > MOST_ROWS:
        raise UserError(say("gradebooks.long", path=path, most=f"{MOST_ROWS:,}"))
    if longer := [row for row in rows if len(row) > len(header)]:
        place = 1 + table.index(longer[0])
        raise UserError(say("gradebooks.too-long", path=path, row=place))
    filled = [row + [""] * (len(header) - len(row)) for row in rows]
    return Sheet(path, header, filled, delimiter)


def _text(path: Path) -> str:
    try:
        content = read_named(path, LARGEST)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise UserError(say("gradebooks.large", path=path, size=LARGEST // 2**20)) from None
        raise UserError(say("gradebooks.closed", path=path, reason=error.strerror)) from None
    try:
        return spreadsheet_text(content)
    except UnicodeDecodeError:
        key = "gradebooks.wide" if content.startswith(WIDE) else "gradebooks.encoding"
        raise UserError(say(key, path=path)) from None


def _table(text: str, delimiter: str) -> list[list[str]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [row for row in lines if any(cell.strip() for cell in row)]


def write(sheet: Sheet, path: Path) -> None:
    """Write it in UTF-8, with its own delimiter."""
    with replacing(path) as file:
        lines = csv.writer(file, delimiter=sheet.delimiter, lineterminator="\n")
        lines.writerows([sheet.header, *sheet.rows])
