"""The right and the wrong answers of an exercise that a proof is tried on."""

import ast
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from kata.course.catalogue import Bug, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.suite_code import about
from kata.diagnosis.suspects import record_of
from kata.proofs.verdict import WrongAnswer

REFERENCE = "the reference"
QUOTE = re.compile(r'The contract: "(.+)"', re.DOTALL)
Kills = frozenset[str]  # the claims of the suite that a wrong answer fails


@dataclass(frozen=True)
class Answer:
    """One implementation of an exercise.

    Attributes:
        name: what is special about it: REFERENCE for the solution, the slug of a wrong one.
        text: of its file.
        because: the sentence of the contract that makes it right.
        load: gives it as a module, the same one each time.
    """

    name: str
    text: str
    because: str
    load: Callable[[], ModuleType]


@cache
def right_answers(exercise: Exercise) -> tuple[Answer, ...]:
    """The reference, and then the others by name."""
    others = {path.stem: path for path in sorted(exercise.accepted.glob("*.py"))}
    paths = {REFERENCE: exercise.solution, **others}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    return tuple(_right(exercise, name, text) for name, text in texts.items())


def _right(exercise: Exercise, name: str, text: str) -> Answer:
    target = target_of(exercise, text)
    return Answer(name, text, because(text), lambda: target.module(exercise.slug))


def because(text: str) -> str:
    """The sentence of the contract that the last paragraph of a right answer quotes; "" if none."""
    last = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[-1]
    match = QUOTE.fullmatch(last.strip())
    return " ".join(match[1].split()) if match else ""


@dataclass(frozen=True)
class Wrong(Answer):
    """A wrong answer: one that keeps state is loaded anew each time.

    Attributes:
        label: how a verdict names it.
    """

    label: WrongAnswer


@cache
def wrong_answers(exercise: Exercise, level: int) -> tuple[Wrong, ...]:
    """Those of the catalogue up to this level, in its order."""
    return tuple(_wrong(exercise, bug) for bug in bugs(exercise) if level_of(bug) <= level)


def _wrong(exercise: Exercise, bug: Bug) -> Wrong:
    text = wrong_answer(exercise, bug)
    target = target_of(exercise, text)

    def load() -> ModuleType:
        chosen = target_of(exercise, text) if bug.remembers else target
        return chosen.module(exercise.slug)

    label = WrongAnswer(bug.slug, level_of(bug), about(exercise, bug.claim))
    return Wrong(bug.slug, text, "", load, label)


def level_of(bug: Bug) -> int:
    """The lowest level that it belongs to: a trap; what really happened to somebody; the rest."""
    return bug.level or (2 if bug.is_real else 3)


@cache
def groups(exercise: Exercise) -> tuple[frozenset[str], ...]:
    """The slugs of wrong answers that fail the same claims, together; by the records."""
    found: dict[Kills, set[str]] = {}
    for slug, kills in _kills(exercise):
        found.setdefault(kills, set()).add(slug)
    return tuple(map(frozenset, found.values()))


@cache
def hardest(exercise: Exercise) -> tuple[frozenset[str], ...]:
    """The groups that no other implies: whatever claims catch all of them, catch everything."""
    kills = dict(_kills(exercise))
    different = set(kills.values())
    return tuple(
        group
        for group in groups(exercise)
        if not any(each < kills[next(iter(group))] for each in different)
    )


def _kills(exercise: Exercise) -> Iterator[tuple[str, Kills]]:
    for bug in bugs(exercise):
        if (record := record_of(exercise, bug, 0)) and record.failing:
            yield bug.slug, record.failing


def whole(parts: Collection[frozenset[str]], caught: Collection[str]) -> int:
    """How many groups are caught, to the last one in them."""
    return sum(part <= set(caught) for part in parts)
