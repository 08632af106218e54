"""Tables that people and platforms write: CSV as any spreadsheet saves it, and TOML.

Called by all modules that read or write tables. The files are not trusted: a CSV file has a largest
size and number of rows, `harmless` defuses formulas, and a UserError says in one line why a table
cannot be used.
"""

import csv
import errno
import io
import math
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kata import files
from kata.errors import UserError

DELIMITERS = (",", ";", "\t")
LARGEST = 64 * 2**20  # bytes; a course of ten thousand has a tenth of it
MOST_ROWS = 50_000
WINDOWS = "cp1252"  # its usual encoding
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 starts
# What a spreadsheet takes for the start of a formula, in ASCII and full-width characters. In much
# of Europe a semicolon starts a new cell, even inside quotes.
FORMULA = re.compile(r"(^|;)(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20])")
BLANK = re.compile(r"(?<=\d)[\s'\u2019](?=\d{3})")  # between thousands: 1 000
WITH_POINT = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+\.\d+")  # 50, 50.00 and 1,000.00
# 50,0 and 1.000,00, but not 1,000, which is ambiguous: one or a thousand.
WITH_COMMA = re.compile(r"\d+,(?!\d{3}$)\d+|\d{1,3}(?:\.\d{3})+,\d+")


@dataclass
class Sheet:
    """Rows of equal length below a header that names the columns."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","
    lines: list[int] = field(default_factory=list)  # where the rows begin in the file

    @property
    def headings(self) -> list[str]:
        """The header in one spelling: `First Name` is `first_name`."""
        return ["_".join(title.replace("_", " ").split()).casefold() for title in self.header]

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield rows with their lines: cells by heading, of which the first of a name counts."""
        headings = self.headings[::-1]
        for line, row in zip(self.lines, self.rows, strict=True):
            yield line, dict(zip(headings, map(str.strip, row[::-1]), strict=True))

    def place(self, name: str) -> int:
        """Return the index of this column; -1 if there is none."""
        names = [heading.strip().casefold() for heading in self.header]
        return names.index(name.casefold()) if name.casefold() in names else -1

    def cell(self, row: int, column: int) -> str:
        """Return the content of a cell; empty if the column does not exist."""
        return self.rows[row][column].strip() if column >= 0 else ""

    def add(self, name: str) -> int:
        """Return the index of this column, and add it if it is missing."""
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

    def write(self, path: Path, *, private: bool = False) -> None:
        """Write the table in UTF-8, with the delimiter that it had."""
        with files.replacing(path, private=private) as file:
            lines = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
            lines.writerows([self.header, *self.rows])


def read_sheet(path: Path) -> Sheet:
    """Read the table in a CSV file, without its blank lines."""
    try:
        delimiter, numbered = _numbered(_text(path))
    except csv.Error as error:
        raise UserError(f"{path} is not a CSV table: {error}") from None
    if not numbered:
        raise UserError(f"{path} is empty: expected a table, saved as CSV")
    (_, header), *rows = numbered
    if len(rows) > MOST_ROWS:
        raise UserError(f"{path} has more than {MOST_ROWS:,} rows")
    width = len(header)
    for line, row in rows:
        if any(cell.strip() for cell in row[width:]):
            raise UserError(f"{path}: line {line} of the table has more cells than the first, "
                            "which names the columns")  # fmt: skip
    filled = [row[:width] + [""] * (width - len(row)) for _, row in rows]
    return Sheet(path, header, filled, delimiter, [line for line, _ in rows])


def _numbered(text: str) -> tuple[str, list[tuple[int, list[str]]]]:
    """Return the delimiter, and all rows that are not blank with the lines where they begin."""
    content = text.lstrip()
    delimiter = max(DELIMITERS, key=content.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter)
    start = line = 1 + text.removesuffix(content).count("\n")
    rows: list[tuple[int, list[str]]] = []
    for row in reader:
        if any(cell.strip() for cell in row):
            rows.append((line, row))
        line = start + reader.line_num
    return delimiter, rows


def _text(path: Path) -> str:
    try:
        content = files.read_named(path, LARGEST)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise UserError(f"{path} is larger than {LARGEST // 2**20} MiB") from None
        raise unreadable(path, error) from None
    for encoding in ("utf-8-sig", *([] if b"\0" in content else [WINDOWS])):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    if content.startswith(UTF_16):
        advice = "save it as CSV in UTF-8, or export it again as CSV"
        raise UserError(f"{path} is UTF-16 text: {advice}")
    advice = "choose UTF-8 where the platform asks for the encoding, or save it as CSV in UTF-8"
    raise UserError(f"{path} is not UTF-8 text: {advice}")


def read_toml(path: Path) -> dict[str, Any]:
    """Read the table in a TOML file."""
    try:
        return tomllib.loads(files.read_named(path).decode())
    except RecursionError:
        raise unreadable(path, ValueError(files.DEEP)) from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> UserError:
    """Make the error for an instructor's file that cannot be read."""
    reason = getattr(error, "strerror", None) or error
    return UserError(f"{path} cannot be read: {reason}")


def harmless(text: str) -> str:
    """Rewrite a text as one line that no spreadsheet takes for a formula."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return FORMULA.sub(r"\1'", line)


def amount(text: str) -> float | None:
    """Parse the number in a cell, with a decimal point or comma; None if it is ambiguous."""
    digits = BLANK.sub("", text)
    if WITH_POINT.fullmatch(digits):
        value = float(digits.replace(",", ""))
    elif WITH_COMMA.fullmatch(digits):
        value = float(digits.replace(".", "").replace(",", "."))
    else:
        return None
    return value if math.isfinite(value) else None
