"""The catalogue of wrong answers: bugs/*.toml, and the file that each bug turns a solution into."""

import ast
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.target import SUBMISSION, Target


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
        seen_in: documents, public threads, or "reproduced".
        symptom: what can be observed from outside.
        why: what is wrong about it.
        hints: three, each giving away more than the previous one, none giving the code.
        invisible_when: the circumstances in which a weaker test would let it pass.
        twins: bugs of the same exercise that no suite can tell from this one.
        twins_because: why no suite can.
        remembers: whether it keeps state between claims, so that their order matters.
    """

    slug: str
    title: str
    claim: str
    change: tuple[tuple[str, str], ...]
    seen_in: tuple[str, ...]
    symptom: str
    why: str
    hints: tuple[str, ...]
    invisible_when: str
    twins: tuple[str, ...] = ()
    twins_because: str = ""
    remembers: bool = False


@cache
def bugs(exercise: Exercise) -> tuple[Bug, ...]:
    """All entries of an exercise, in file order."""
    try:
        table = tomllib.loads(exercise.bugs.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{exercise.bugs.name} is not TOML: {error}") from None
    return tuple(_bug(exercise, entry) for entry in table.get("bug", []))


def _bug(exercise: Exercise, entry: dict[str, Any]) -> Bug:
    frozen: dict[str, Any] = {
        key: tuple(each) if isinstance(each, list) else each for key, each in entry.items()
    }
    frozen["change"] = tuple((find, replace) for find, replace in entry.get("change", []))
    where = f"{exercise.bugs.name}: {entry.get('slug')}"
    try:
        bug = Bug(**frozen)
    except TypeError as error:
        raise CatalogueError(f"{where}: {str(error).removeprefix('Bug.__init__() ')}") from None
    for name in ("seen_in", "hints", "twins"):
        if not isinstance(getattr(bug, name), tuple):
            raise CatalogueError(f"{where}: `{name}` is a list of texts")
    return bug


def wrong_answer(exercise: Exercise, *mistakes: Bug) -> str:
    """The solution with these mistakes in it, checked to be valid Python."""
    text = changed(exercise, *mistakes)
    try:
        ast.parse(text)
    except SyntaxError as error:
        where = _where(exercise, mistakes[-1])
        raise CatalogueError(f"{where}: what it makes is not Python: {error.msg}") from None
    return text


def changed(exercise: Exercise, *mistakes: Bug) -> str:
    """The text of the solution after these mistakes, applied in order."""
    text = _solution(exercise)
    for bug in mistakes:
        for find, replace in bug.change:
            if (times := text.count(find)) != 1:
                where = _where(exercise, bug)
                raise CatalogueError(f"{where}: stands {times} times in the solution: {find!r}")
            text = text.replace(find, replace)
    return text


@cache
def _solution(exercise: Exercise) -> str:
    return exercise.solution.read_text(encoding="utf-8")


def _where(exercise: Exercise, bug: Bug) -> str:
    return f"{exercise.bugs.name}: {bug.slug}"


def target_of(exercise: Exercise, text: str) -> Target:
    """A target in which this text is the submission, with the reference for earlier exercises."""
    return Target(SUBMISSION, {exercise.slug: text})
