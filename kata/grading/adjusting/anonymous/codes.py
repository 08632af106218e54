"""Codes in the place of names, and the key file that says whose they are."""

import csv
import re
import secrets
from io import StringIO
from pathlib import Path

from kata.errors import UserError
from kata.files import read_named, write_file
from kata.words import say

HEADER = ["code", "student"]
LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"  # none is taken for another, and they make no words
LENGTH = 6
CODE = re.compile(rf"S-[{LETTERS}]{{{LENGTH}}}")
OWN = 0o600  # nobody else may read who is who


class Codes:
    """The codes of a key file; those who are new get one, and `keep` writes them down."""

    def __init__(self, path: Path, grades: Path) -> None:
        if grades.resolve() in (folder := path.resolve()).parents:
            raise UserError(say("adjusting.key-inside", path=path, grades=grades))
        if not folder.parent.is_dir():
            reason = say("adjusting.no-folder", path=path.parent)
            raise UserError(say("adjusting.closed", path=path, reason=reason))
        self._path = path
        self._codes = _read(path)
        self._before = len(self._codes)

    def of(self, student: str) -> str:
        """The code of this student."""
        if student not in self._codes:
            self._codes[student] = self._new()
        return self._codes[student]

    def student(self, code: str) -> str:
        """Whose code it is; the text itself if it is none."""
        return next((name for name, each in self._codes.items() if each == code), code)

    def _new(self) -> str:
        used = set(self._codes.values())
        while (code := f"S-{''.join(secrets.choice(LETTERS) for _ in range(LENGTH))}") in used:
            pass
        return code

    def keep(self) -> None:
        """Write the key file, which only its owner can read, if anybody is new."""
        if len(self._codes) == self._before and self._path.exists():
            return
        file = StringIO(newline="")
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(HEADER)
        lines.writerows([code, name] for name, code in self._codes.items())
        write_file(self._path, file.getvalue(), private=True)


def _read(path: Path) -> dict[str, str]:
    """Codes by student; nothing if there is no file yet."""
    try:
        text = read_named(path).decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(say("adjusting.closed", path=path, reason=reason)) from None
    rows = [row for row in csv.reader(text.splitlines(keepends=True)) if row]
    if rows[:1] != [HEADER] or any(len(row) != 2 or not CODE.fullmatch(row[0]) for row in rows[1:]):
        raise UserError(say("adjusting.no-key", path=path))
    found = {name: code for code, name in rows[1:]}
    if len({*found.values()}) < len(rows) - 1:
        raise UserError(say("adjusting.no-key", path=path))
    return found
