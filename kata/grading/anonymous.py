"""Codes in place of names, the key file that maps them to students, and a `Hider` of names.

`plan` makes them, and applies them to work before the grading and to verdicts after it. Notes and
names of files lose every name of a student from three letters on. What programs print or say in an
error loses only names of several words, and addresses: `Jane` alone stays. The key file is for its
owner alone, and may not lie among the grades.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kata.class_verdict import SubmissionVerdict
from kata.errors import UserError
from kata.grading.collecting.names import fold
from kata.grading.collecting.submissions import Submission
from kata.grading.people import Attendance, Person, without_accents
from kata.grading.tables import Sheet, read_sheet
from kata.verdict import ExerciseVerdict, Message

HEADER = ["code", "student"]
LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"  # none is taken for another, and they make no words
LENGTH = 6
CODE = re.compile(rf"S-[{LETTERS}]{{{LENGTH}}}")
WORD = re.compile(r"[^\W_]+")  # names of files join theirs by underscores
PATH = re.compile(r"\S*[^\W_][._/-]\w\S*")  # what may be the name of a file
SHORTEST_NAME = 3  # letters of a name that is looked for
SHORTEST_NUMBER = 4  # digits of a number that tells who somebody is
TEXTS = ("claim", "inputs", "evidence", "cause", "compared", "remark")  # of a message


class Codes:
    """The codes of a key file; those who are new get one, and `keep` writes them down."""

    def __init__(self, path: Path, grades: Path) -> None:
        if grades.resolve() in (folder := path.resolve()).parents:
            raise UserError(
                f"{path} would lie in {grades}, among what is anonymous: put the key file elsewhere"
            )
        if not folder.parent.is_dir():
            raise UserError(f"{path} cannot be read: {path.parent} is not a folder")
        self._path = path
        self._codes = _read_key(path)
        self._before = len(self._codes)

    def of(self, student: str) -> str:
        """Return the code of this student."""
        if student not in self._codes:
            codes = set(self._codes.values())
            while (code := f"S-{''.join(secrets.choice(LETTERS) for _ in range(LENGTH))}") in codes:
                pass
            self._codes[student] = code
        return self._codes[student]

    def student(self, code: str) -> str:
        """Return the student with this code; the text itself if it is none."""
        return next((name for name in self._codes if self._codes[name] == code), code)

    def keep(self) -> None:
        """Write the key file, which only its owner can read, if anybody is new."""
        if len(self._codes) == self._before and self._path.exists():
            return
        rows = [[code, name] for name, code in self._codes.items()]
        Sheet(self._path, HEADER, rows).write(self._path, private=True)


def _read_key(path: Path) -> dict[str, str]:
    """Read codes by student; nothing if there is no file yet."""
    if not path.exists():
        return {}
    sheet = read_sheet(path)
    is_key = sheet.header == HEADER and all(
        name and CODE.fullmatch(code) for code, name in sheet.rows
    )
    codes = {name: code for code, name in sheet.rows} if is_key else {}
    if not is_key or len({*codes.values()}) < len(sheet.rows):
        raise UserError(
            f"{path} is not a key file: expected lines of code,student below this heading"
        )
    return codes


@dataclass(frozen=True)
class Hider:
    """The replacement of names by codes.

    In names of files and in notes, any name or number is replaced. In what code prints or says in
    an error, only names of several words and addresses are: somebody may be called Max, and a
    message say `max`.

    Args:
        codes: by name, number, login or address.
        works: the codes under which works are graded, by the name of the work.
    """

    codes: Mapping[str, str]
    works: Mapping[str, str] = field(default_factory=dict)
    _first: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _words: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the names by their first word, and their words by the code."""
        for name, code in self.codes.items():
            if "@" not in name:
                words = map(_plain, WORD.findall(name))
                long = (word for word in words if len(word) >= SHORTEST_NAME)
                self._words.setdefault(code, set()).update(long)
        for name in sorted(self.codes, key=len, reverse=True):
            if len(name) >= SHORTEST_NAME and (word := WORD.search(name)):
                entry = name[word.start() :], self.codes[name]
                self._first.setdefault(word[0].casefold(), []).append(entry)

    def submission(self, submission: Submission) -> Submission:
        """Put work under its code, without the name of its author and the platform's number.

        In names of files, a single word of the author's own name tells enough: `rene_ex09.py`.
        """
        code = self.works[submission.student]
        words = self._words.get(code, set())

        def hide_word(word: re.Match[str]) -> str:
            return code if _plain(word[0]) in words else word[0]

        def hide(text: str) -> str:
            return PATH.sub(lambda path: WORD.sub(hide_word, path[0]), self.text(text))

        return replace(
            submission,
            student=code,
            id="",
            notes=tuple(map(hide, submission.notes)),
            problem=hide(submission.problem),
            unread={slug: hide(reason) for slug, reason in submission.unread.items()},
            notebooks={slug: book.renamed(hide) for slug, book in submission.notebooks.items()},
        )

    def verdict(self, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """Replace names in notes; in what code has printed or said, those that are certain."""
        return replace(
            verdict,
            exercises=tuple(map(self._exercise, verdict.exercises)),
            problem=self.text(verdict.problem),
            notes=tuple(map(self.text, verdict.notes)),
            id="",
        )

    def _exercise(self, verdict: ExerciseVerdict) -> ExerciseVerdict:
        return replace(
            verdict,
            claims=tuple(
                replace(claim, message=claim.message and self._message(claim.message))
                for claim in verdict.claims
            ),
            printed=self.sure(verdict.printed),
            tampering=tuple(map(self.sure, verdict.tampering)),
            flags=tuple(map(self.sure, verdict.flags)),
        )

    def _message(self, message: Message) -> Message:
        texts: dict[str, Any] = {name: self.sure(getattr(message, name)) for name in TEXTS}
        return replace(message, **texts, frames=[*map(self.sure, message.frames)])

    def text(self, text: str) -> str:
        """Replace all names, also those that are a single word."""
        return self._replaced(text, sure=False)

    def sure(self, text: str) -> str:
        """Replace only what is certainly a name.

        This is for program output, where `max` may be a word.
        """
        return self._replaced(text, sure=True)

    def _replaced(self, text: str, *, sure: bool) -> str:
        parts: list[str] = []
        end = 0
        for word in WORD.finditer(text):
            if word.start() >= end and (match := self._at(text, word, sure)):
                name, code = match
                parts += [text[end : word.start()], code]
                end = word.start() + len(name)
        return "".join([*parts, text[end:]]) if parts else text

    def _at(self, text: str, word: re.Match[str], sure: bool) -> tuple[str, str] | None:
        """Find the longest name that stands here as a whole, and its code."""
        for name, code in self._first.get(word[0].casefold(), ()):
            end = word.start() + len(name)
            is_whole = not text[end : end + 1].isalnum()
            fits = text[word.start() : end].casefold() == name.casefold()
            # An address, or several words, can be nothing but somebody's name.
            if fits and is_whole and (not sure or "@" in name or len(name.split()) > 1):
                return name, code
        return None


def hider(attendance: Attendance, names: dict[Person, str], codes: Codes) -> Hider:
    """Make a `Hider` with codes for all names and numbers of everybody."""
    by_name: dict[str, str] = {}
    works: dict[str, str] = {}
    for person, name in names.items():
        by_name |= {text: codes.of(name) for text in (name, *person.names, *person.ids)}
    for author in attendance.authors:
        code = works[author.student.name] = codes.of(author.work_name(names))
        by_name.setdefault(author.student.name, code)
        for label in (place.label for place in author.student.places):
            numbers = (number for number in (label.id, str(label.order))
                       if len(number) >= SHORTEST_NUMBER)  # fmt: skip
            for text in (label.student, *numbers):
                by_name.setdefault(text, code)
    return Hider(by_name, works)


def _plain(word: str) -> str:
    return without_accents(fold(word))
