"""The catalogue of wrong answers, bugs/*.toml: how they change a solution, and what they cost."""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import PACKED_BUGS, Exercise
from kata.course.source import contract, tree_of
from kata.course.suite_code import Group, about, groups, listed
from kata.course.target import SUBMISSION, Target

Change = tuple[tuple[str, str], ...]
REPRODUCED = "reproduced"  # in `seen_in`: made for this catalogue, and seen nowhere else
OF_THE_IDEA = 2 / 3  # the part of a function's points for its claims of the idea
# Classes of mistakes, with the part of a function that they cost.
PRICES = {"all": 1.0, "grave": 1 / 2, "middle": 3 / 10, "small": 1 / 7}
USUAL = {Group.IDEA: "grave", Group.FINE_PRINT: "small", Group.REFUSALS: "small"}
CUDA = "[cuda]"  # the end of the ids of claims that no grader makes


class CatalogueError(Exception):
    """An entry that does not fit its solution, or has a missing or unknown field."""


@dataclass(frozen=True)
class Bug:
    """A way to get an exercise wrong.

    Attributes:
        slug: its name within the exercise.
        title: the mistake in a few words.
        claim: the first claim of the suite, in file order, that fails.
        change: (find, replace) pairs; every `find` occurs exactly once in the solution.
        seen_in: documents, public threads, or REPRODUCED.
        symptom: what can be observed from outside.
        why: what is wrong about it.
        hints: three; the next one gives away more than the one before, and none gives the code.
        invisible_when: the circumstances in which a weaker test would let it pass.
        twins: bugs of the same exercise that no suite can tell from this one.
        twins_because: why no suite can.
        remembers: whether it keeps state between claims, so that their order matters.
        also: the same mistake with other constants, or in lines that only a version has: lists of
            pairs like `change`.
        level: 1 if it stands for a trap that every learner's own tests should catch, else 0.
        price: what it costs of its function, a class of PRICES; empty for that of the group of its
            claim. No verdict depends on it.
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
        """True if it happened to somebody, and was not only thought of."""
        return any(text != REPRODUCED for text in self.seen_in)

    @property
    def forms(self) -> "tuple[Bug, ...]":
        """The mistake in all of its spellings."""
        return (self, *(replace(self, change=pairs) for pairs in self.also))


@dataclass(frozen=True)
class Version:
    """Another way to write the solution, in which the same mistakes produce other numbers.

    Attributes:
        slug: its name within the exercise.
        change: (find, replace) pairs that turn the solution into it.
        mistakes: the bugs that it has itself: people's first versions leave something out.
    """

    slug: str
    change: Change = ()
    mistakes: tuple[Bug, ...] = ()


@cache
def bugs(exercise: Exercise) -> tuple[Bug, ...]:
    """Return all entries of an exercise, in file order."""
    table = _table(exercise.bugs, exercise.is_own)
    return tuple(_bug(exercise, entry) for entry in table.get("bug", []))


@cache
def versions(exercise: Exercise) -> tuple[Version, ...]:
    """Return the other ways to write its solution, in file order."""
    table = _table(exercise.bugs, exercise.is_own)
    return tuple(_version(exercise, entry) for entry in table.get("version", []))


def content(exercise: Exercise) -> bytes:
    """Return the file of its entries, unpacked; empty where an own exercise has none yet."""
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
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    fields["change"] = _pairs(entry.get("change", []))
    fields["also"] = tuple(map(_pairs, entry.get("also", [])))
    where = f"{exercise.bugs.name}: {entry.get('slug')}"
    try:
        bug = Bug(**fields)
    except TypeError as error:
        raise CatalogueError(f"{where}: {str(error).removeprefix('Bug.__init__() ')}") from None
    for name in ("seen_in", "hints", "twins"):
        if not isinstance(getattr(bug, name), tuple):
            raise CatalogueError(f"{where}: `{name}` is a list of texts")
    return bug


def _version(exercise: Exercise, entry: dict[str, Any]) -> Version:
    by_slug = {bug.slug: bug for bug in bugs(exercise)}
    try:
        mistakes = tuple(by_slug[slug] for slug in entry.get("mistakes", []))
        return Version(entry["slug"], _pairs(entry["change"]), mistakes)
    except KeyError as error:
        raise CatalogueError(f"{exercise.bugs.name}: a version has no {error}") from None


def _pairs(table: Iterable[tuple[str, str]]) -> Change:
    return tuple((find, replace) for find, replace in table)


@lru_cache(maxsize=1024)  # a check of an exercise asks for its bugs several times
def wrong_answer(exercise: Exercise, *mistakes: Bug | Version) -> str:
    """Return the solution with these mistakes in it, checked to be valid Python."""
    text = changed(exercise, *mistakes)
    try:
        tree_of(text)  # the judge of it needs the tree, too
    except SyntaxError as error:
        where = _where(exercise, mistakes[-1])
        raise CatalogueError(f"{where}: what it makes is not Python: {error.msg}") from None
    return text


def changed(exercise: Exercise, *mistakes: Bug | Version) -> str:
    """Return the text of the solution after these changes, applied in order."""
    text = _solution(exercise)
    for mistake in mistakes:
        for before, after in mistake.change:
            if (times := text.count(before)) != 1:
                where = _where(exercise, mistake)
                raise CatalogueError(f"{where}: stands {times} times in the solution: {before!r}")
            text = text.replace(before, after)
    return text


def applied(exercise: Exercise, form: Bug) -> Iterator[str]:
    """Yield the wrong answers in this form: a change of the solution, or else of its versions."""
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
    """Return a target with this text as submission, and the reference for earlier exercises."""
    return Target(SUBMISSION, {exercise.slug: text})


@cache
def shares(exercise: Exercise) -> Mapping[str, float]:
    """Return the shares of the points by the ids of claims; together they are 1."""
    return {
        claim: part(exercise, function) * share / len(claims)
        for function, groups_of_claims in _claims(exercise).items()
        for claims, share in _parts(*groups_of_claims)
        for claim in claims
    }


def price(exercise: Exercise, bug: Bug) -> str:
    """Return the class of a mistake: its own, or that of the claims that it breaks first."""
    return bug.price or USUAL[groups(exercise).get(bug.claim, Group.IDEA)]


@cache
def function_of(exercise: Exercise, bug: Bug) -> str:
    """Return the function or class that a mistake changes, else the one of its claim."""
    text, names = _solution(exercise), contract(exercise).names
    definitions = [node for node in tree_of(text).body if getattr(node, "name", "") in names]
    for before, _ in bug.change:
        first = text[: text.find(before)].count("\n") + 1
        last = first + before.rstrip("\n").count("\n")
        for definition in definitions:
            if definition.lineno <= last and first <= (definition.end_lineno or 0):
                return str(getattr(definition, "name", ""))
    return about(exercise, bug.claim)


def part(exercise: Exercise, function: str) -> float:
    """Return the share of the points that a function or class has."""
    whole = sum(of_function(exercise, claim) for claim in _claims(exercise))
    return of_function(exercise, function) / whole


def of_function(exercise: Exercise, name: str) -> int:
    """Return the weight of a function or class; if not set, how many functions it has."""
    if name in exercise.shares:
        return exercise.shares[name]
    return sum(function.partition(".")[0] == name for function in contract(exercise).functions)


@cache
def _claims(exercise: Exercise) -> Mapping[str, tuple[list[str], list[str]]]:
    """Return the ids of claims by function: those of the idea, and the rest."""
    claims: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for claim, name in listed(exercise):
        if not claim.endswith(CUDA):
            idea, rest = claims[about(exercise, name)]
            (idea if groups(exercise)[name] is Group.IDEA else rest).append(claim)
    return claims


def _parts(idea: list[str], rest: list[str]) -> list[tuple[list[str], float]]:
    """Divide the points of a function; all of them go to one group if the other is empty."""
    if not idea or not rest:
        return [(idea or rest, 1.0)]
    return [(idea, OF_THE_IDEA), (rest, 1 - OF_THE_IDEA)]
