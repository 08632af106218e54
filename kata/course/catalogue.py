"""The catalogue of wrong answers: bugs/*.toml, and the file that each bug turns a solution into."""

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import PACKED_BUGS, Exercise
from kata.course.source import tree_of
from kata.course.target import SUBMISSION, Target

Change = tuple[tuple[str, str], ...]
REPRODUCED = "reproduced"  # in `seen_in`: made for this catalogue, and seen nowhere else


class CatalogueError(Exception):
    """An entry that does not fit its solution, or has a missing or unknown field."""


@dataclass(frozen=True)
class Bug:
    """One known way to get an exercise wrong.

    Attributes:
        slug: its name within the exercise.
        title: what was done, in a few words.
        claim: the first claim of the suite, in file order, that fails.
        change: (find, replace) pairs; each `find` occurs exactly once in the solution.
        seen_in: documents, public threads, or REPRODUCED.
        symptom: what can be observed from outside.
        why: what is wrong about it.
        hints: three, each giving away more than the previous one, none giving the code.
        invisible_when: the circumstances in which a weaker test would let it pass.
        twins: bugs of the same exercise that no suite can tell from this one.
        twins_because: why no suite can.
        remembers: whether it keeps state between claims, so that their order matters.
        also: the same mistake with other constants, or in lines that only a version has; each is
            a list of pairs like `change`.
        level: 1 if it stands for a trap that every learner's own tests should catch, else 0.
        price: what it costs of its function, a class of `shares.PRICES`; empty for that of the
            group of its claim. No verdict depends on it.
    """

    slug: str
    title: str
    claim: str
    change: Change
    seen_in: tuple[str, ...]
    symptom: str
    why: str
    hints: tuple[str, ...]
    invisible_when: str
    twins: tuple[str, ...] = ()
    twins_because: str = ""
    remembers: bool = False
    also: tuple[Change, ...] = ()
    level: int = 0
    price: str = field(default="", compare=False, repr=False)

    @property
    def is_real(self) -> bool:
        """Whether it happened to somebody, and was not only thought of."""
        return any(text != REPRODUCED for text in self.seen_in)

    @property
    def forms(self) -> "tuple[Bug, ...]":
        """The mistake in each way of spelling it that is known."""
        return (self, *(replace(self, change=pairs) for pairs in self.also))


@dataclass(frozen=True)
class Version:
    """Another way to write the solution, in which the same mistakes give other numbers.

    Attributes:
        slug: its name within the exercise.
        change: (find, replace) pairs that turn the solution into it.
        mistakes: the bugs that it has itself: people's first versions neglect something.
    """

    slug: str
    change: Change = ()
    mistakes: tuple[Bug, ...] = ()


@cache
def bugs(exercise: Exercise) -> tuple[Bug, ...]:
    """All entries of an exercise, in file order."""
    return tuple(
        _bug(exercise, entry) for entry in _table(exercise.bugs, exercise.is_own).get("bug", [])
    )


@cache
def versions(exercise: Exercise) -> tuple[Version, ...]:
    """The other ways to write its solution, in file order."""
    table = _table(exercise.bugs, exercise.is_own)
    return tuple(_version(exercise, entry) for entry in table.get("version", []))


def content(exercise: Exercise) -> bytes:
    """The file of its entries, unpacked; empty where an own exercise has none yet."""
    return _content(exercise.bugs, exercise.is_own)


def _content(path: Path, optional: bool) -> bytes:
    if optional and not path.exists():
        return b""
    if path.suffix != PACKED_BUGS:
        return path.read_bytes()
    import bz2

    return bz2.decompress(path.read_bytes())


@cache
def _table(path: Path, optional: bool) -> dict[str, list[dict[str, Any]]]:
    try:
        return tomllib.loads(_content(path, optional).decode())
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{path.name} is not TOML: {error}") from None


def _bug(exercise: Exercise, entry: dict[str, Any]) -> Bug:
    frozen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    frozen["change"] = _pairs(entry.get("change", []))
    frozen["also"] = tuple(map(_pairs, entry.get("also", [])))
    where = f"{exercise.bugs.name}: {entry.get('slug')}"
    try:
        bug = Bug(**frozen)
    except TypeError as error:
        raise CatalogueError(f"{where}: {str(error).removeprefix('Bug.__init__() ')}") from None
    for name in ("seen_in", "hints", "twins"):
        if not isinstance(getattr(bug, name), tuple):
            raise CatalogueError(f"{where}: `{name}` is a list of texts")
    return bug


def _version(exercise: Exercise, entry: dict[str, Any]) -> Version:
    known = {bug.slug: bug for bug in bugs(exercise)}
    try:
        mistakes = tuple(known[value] for value in entry.get("mistakes", []))
        return Version(entry["slug"], _pairs(entry["change"]), mistakes)
    except KeyError as error:
        raise CatalogueError(f"{exercise.bugs.name}: a version has no {error}") from None


def _pairs(table: Iterable[tuple[str, str]]) -> Change:
    return tuple((find, replace) for find, replace in table)


@lru_cache(maxsize=1024)  # whoever checks an exercise asks for each of its bugs several times
def wrong_answer(exercise: Exercise, *mistakes: Bug | Version) -> str:
    """The solution with these mistakes in it, checked to be valid Python."""
    text = changed(exercise, *mistakes)
    try:
        tree_of(text)  # whoever judges it needs the tree, too
    except SyntaxError as error:
        where = _where(exercise, mistakes[-1])
        raise CatalogueError(f"{where}: what it makes is not Python: {error.msg}") from None
    return text


def changed(exercise: Exercise, *mistakes: Bug | Version) -> str:
    """The text of the solution after these changes, applied in order."""
    text = _solution(exercise)
    for mistake in mistakes:
        for find, instead in mistake.change:
            if (times := text.count(find)) != 1:
                where = _where(exercise, mistake)
                raise CatalogueError(f"{where}: stands {times} times in the solution: {find!r}")
            text = text.replace(find, instead)
    return text


def applied(exercise: Exercise, form: Bug) -> Iterator[str]:
    """The wrong answer in this form: a change of the solution, or else of its versions."""
    with suppress(CatalogueError):
        yield wrong_answer(exercise, form)
        return
    for version in versions(exercise):
        with suppress(CatalogueError):
            yield wrong_answer(exercise, version, form)


@cache
def _solution(exercise: Exercise) -> str:
    return exercise.solution.read_text(encoding="utf-8")


def _where(exercise: Exercise, entry: Bug | Version) -> str:
    return f"{exercise.bugs.name}: {entry.slug}"


def target_of(exercise: Exercise, text: str) -> Target:
    """A target in which this text is the submission, with the reference for earlier exercises."""
    return Target(SUBMISSION, {exercise.slug: text})
