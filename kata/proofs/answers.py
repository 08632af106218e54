"""The right and wrong answers that a proof is tried on."""

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
        name: REFERENCE for the solution, the slug of a wrong one, the style of a right one.
        text: of its file.
        because: the sentence of the contract that makes it right.
        load: returns it as a module, the same one every time.
    """

    name: str
    text: str
    because: str
    load: Callable[[], ModuleType]


@cache
def right_answers(exercise: Exercise) -> tuple[Answer, ...]:
    """Return the reference, and then the others by name."""
    styles = {path.stem: path for path in sorted(exercise.accepted.glob("*.py"))}
    paths = {REFERENCE: exercise.solution, **styles}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    return tuple(_right(exercise, name, text) for name, text in texts.items())


def _right(exercise: Exercise, name: str, text: str) -> Answer:
    target = target_of(exercise, text)
    return Answer(name, text, because(text), lambda: target.module(exercise.slug))


def because(text: str) -> str:
    """Return the sentence of the contract that a right answer quotes at its end; "" if none."""
    last = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[-1]
    match = QUOTE.fullmatch(last.strip())
    return " ".join(match[1].split()) if match else ""


@dataclass(frozen=True)
class Wrong(Answer):
    """A wrong answer: one that keeps state is loaded anew every time.

    Attributes:
        label: how a verdict names it.
    """

    label: WrongAnswer


@cache
def wrong_answers(exercise: Exercise, level: int) -> tuple[Wrong, ...]:
    """Return the wrong answers of the catalogue up to this level, in its order."""
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
    """Return the lowest level of a bug: a trap; what really happened to somebody; the rest."""
    return bug.level or (2 if bug.is_real else 3)


@cache
def groups(exercise: Exercise) -> tuple[frozenset[str], ...]:
    """Return groups of slugs: wrong answers that fail the same claims, by the records."""
    slugs: dict[Kills, set[str]] = {}
    for slug, kills in _kills(exercise):
        slugs.setdefault(kills, set()).add(slug)
    return tuple(map(frozenset, slugs.values()))


@cache
def hardest(exercise: Exercise) -> tuple[frozenset[str], ...]:
    """Return the groups that no other implies: claims that catch all these catch everything."""
    kills = dict(_kills(exercise))
    different = set(kills.values())
    return tuple(
        group
        for group in groups(exercise)
        if not any(claims < kills[next(iter(group))] for claims in different)
    )


def _kills(exercise: Exercise) -> Iterator[tuple[str, Kills]]:
    for bug in bugs(exercise):
        if (record := record_of(exercise, bug, 0)) and record.failing:
            yield bug.slug, record.failing


def whole(groups: Collection[frozenset[str]], caught: Collection[str]) -> int:
    """Return how many groups are caught, to the last answer in them."""
    return sum(group <= set(caught) for group in groups)
