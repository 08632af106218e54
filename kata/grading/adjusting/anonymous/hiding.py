"""Takes the names of a class out of texts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kata.class_verdict import SubmissionVerdict
from kata.grading.adjusting.people import without_accents
from kata.grading.collecting.names import fold
from kata.grading.collecting.submissions import HandedIn
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message

WORD = re.compile(r"[^\W_]+")  # names of files join theirs by underscores
PATH = re.compile(r"\S*[^\W_][._/-]\w\S*")  # what may be the name of a file
SHORTEST = 3  # letters of a name that is looked for


@dataclass(frozen=True)
class Hider:
    """Replaces names by codes.

    Names of files may hold any name or number. What code prints or says in an error is searched
    for whole names and addresses alone: somebody may be called Max, and a message say `max`.
    """

    codes: Mapping[str, str]  # by name, number, login or address
    _first: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _own: dict[str, set[str]] = field(default_factory=dict)  # words of names, by code

    def __post_init__(self) -> None:
        """Index the names by their first word, and their words by the code."""
        for name, code in self.codes.items():
            if "@" in name:
                continue
            words = (plain(word) for word in WORD.findall(name))
            self._own.setdefault(code, set()).update(w for w in words if len(w) >= SHORTEST)
        for name in sorted(self.codes, key=len, reverse=True):
            if len(name) >= SHORTEST and (word := WORD.search(name)):
                entry = name[word.start() :], self.codes[name]
                self._first.setdefault(word[0].casefold(), []).append(entry)

    def handed(self, handed: HandedIn, code: str) -> HandedIn:
        """Work without the name of its author, and without the platform's number.

        In names of files, a single word of the author's own name tells enough: `rene_ex09.py`.
        """

        own = self._own.get(code, set())

        def hide(text: str) -> str:
            return PATH.sub(lambda path: _without(own, path[0], code), self.text(text))

        return replace(
            handed,
            student=code,
            id="",
            notes=tuple(map(hide, handed.notes)),
            problem=hide(handed.problem),
            unread={slug: hide(reason) for slug, reason in handed.unread.items()},
            notebooks={slug: each.called(hide) for slug, each in handed.notebooks.items()},
        )

    def verdict(self, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """The same without what code has printed or said of names."""
        exercises = tuple(map(self._exercise, verdict.exercises))
        problem = self.text(verdict.problem)
        notes = tuple(map(self.text, verdict.notes))
        return replace(verdict, exercises=exercises, problem=problem, notes=notes, id="")

    def _exercise(self, found: ExerciseVerdict) -> ExerciseVerdict:
        claims = tuple(map(self._claim, found.claims))
        tried = tuple(map(self.sure, found.tampering))
        flags = tuple(map(self.sure, found.flags))
        printed = self.sure(found.printed)
        return replace(found, claims=claims, printed=printed, tampering=tried, flags=flags)

    def _claim(self, claim: ClaimVerdict) -> ClaimVerdict:
        return replace(claim, message=self._message(claim.message)) if claim.message else claim

    def _message(self, message: Message) -> Message:
        names = ("claim", "inputs", "evidence", "cause", "compared", "remark")
        texts: dict[str, Any] = {name: self.sure(getattr(message, name)) for name in names}
        return replace(message, **texts, frames=[*map(self.sure, message.frames)])

    def text(self, text: str) -> str:
        """Without any of the names."""
        return self._replaced(text, sure=False)

    def sure(self, text: str) -> str:
        """Without those that can be nothing but a name."""
        return self._replaced(text, sure=True)

    def _replaced(self, text: str, *, sure: bool) -> str:
        parts: list[str] = []
        done = 0
        for word in WORD.finditer(text):
            if word.start() >= done and (found := self._at(text, word, sure)):
                parts += [text[done : word.start()], found[1]]
                done = word.start() + len(found[0])
        return "".join([*parts, text[done:]]) if parts else text

    def _at(self, text: str, word: re.Match[str], sure: bool) -> tuple[str, str] | None:
        """The longest name that stands here as a whole, and its code."""
        for name, code in self._first.get(word[0].casefold(), ()):
            end = word.start() + len(name)
            whole = not text[end : end + 1].isalnum()
            fits = text[word.start() : end].casefold() == name.casefold()
            if fits and whole and (is_sure(name) or not sure):
                return name, code
        return None


def _without(words: set[str], path: str, code: str) -> str:
    return WORD.sub(lambda word: code if plain(word[0]) in words else word[0], path)


def plain(word: str) -> str:
    """The word in small letters without accents."""
    return without_accents(fold(word))


def is_sure(name: str) -> bool:
    """Whether it can be nothing but somebody's name or address."""
    return "@" in name or len(name.split()) > 1
