"""The catalogue of wrong answers: bugs/*.toml, what each turns a solution into, what it costs."""

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
OF_THE_IDEA = 2 / 3
# Classes of mistakes, each with what it costs of the function that it is in.
PRICES = {"all": 1.0, "grave": 1 / 2, "middle": 3 / 10, "small": 1 / 7}
USUAL = {Group.IDEA: "grave", Group.FINE_PRINT: "small", Group.REFUSALS: "small"}
CUDA = "[cuda]"  # the end of the ids of claims that no grader makes


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


@cache
def shares(exercise: Exercise) -> Mapping[str, float]:
    """The share of the points that each claim has, by its id; together they are 1."""
    return {
        claim: part(exercise, function) * of_it / len(ids)
        for function, both in _claims(exercise).items()
        for ids, of_it in _parts(*both)
        for claim in ids
    }


def price(exercise: Exercise, bug: Bug) -> str:
    """The class of a mistake: its own, or that of the claims that it breaks first."""
    return bug.price or USUAL[groups(exercise).get(bug.claim, Group.IDEA)]


@cache
def function_of(exercise: Exercise, bug: Bug) -> str:
    """The function or class of the solution that a mistake changes, else the one of its claim."""
    text, names = exercise.solution.read_text(encoding="utf-8"), contract(exercise).names
    nodes = [
        statement for statement in tree_of(text).body if getattr(statement, "name", "") in names
    ]
    for find, _ in bug.change:
        first = text[: text.find(find)].count("\n") + 1
        last = first + find.rstrip("\n").count("\n")
        for node in nodes:
            if node.lineno <= last and first <= (node.end_lineno or 0):
                return str(getattr(node, "name", ""))
    return about(exercise, bug.claim)


def part(exercise: Exercise, function: str) -> float:
    """The share of the points that a function or class has."""
    whole = sum(of_function(exercise, claim) for claim in _claims(exercise))
    return of_function(exercise, function) / whole


def of_function(exercise: Exercise, name: str) -> int:
    """The weight of a function or class: how many functions there are to write, if not set."""
    if name in exercise.shares:
        return exercise.shares[name]
    return sum(function.partition(".")[0] == name for function in contract(exercise).functions)


@cache
def _claims(exercise: Exercise) -> Mapping[str, tuple[list[str], list[str]]]:
    """The ids of the claims about each function: those of the idea, and the others."""
    found: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for claim, name in listed(exercise):
        if not claim.endswith(CUDA):
            of_the_idea, others = found[about(exercise, name)]
            idea = groups(exercise)[name] is Group.IDEA
            (of_the_idea if idea else others).append(claim)
    return found


def _parts(idea: list[str], others: list[str]) -> list[tuple[list[str], float]]:
    """Each of the two with its part of the function, all of it if the other one is empty."""
    if not idea or not others:
        return [(idea or others, 1.0)]
    return [(idea, OF_THE_IDEA), (others, 1 - OF_THE_IDEA)]
