"""The wrong answers of an exercise, on their levels; and how many of them are really different."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from kata.course.catalogue import Bug, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.suite_code import about
from kata.diagnosis.records import record_of
from kata.proofs.right import Answer
from kata.proofs.verdict import WrongAnswer

Kills = frozenset[str]  # the claims of the suite that a wrong answer fails


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
