"""Who handed in much the same as whom, and in which exercises."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kata.course.curriculum import exercises
from kata.grading.similarity.in_background import Likeness
from kata.proved import PROOF
from kata.words import say


@dataclass
class Pair:
    """Two students, or more, whose work is much alike.

    `near` is the share of equal steps in the exercise in which they are nearest.
    """

    students: tuple[str, ...]
    shorts: list[str] = field(default_factory=list)
    near: float = 0.0


def pairs(found: Mapping[tuple[str, str], Likeness]) -> list[Pair]:
    """Each with all their exercises; those who share most first."""
    known: dict[tuple[str, ...], Pair] = {}
    together = {(each, work) for (_, work), each in found.items() if len(each.students) > 1}
    for each, work in sorted(together, key=_place):
        pair = known.setdefault(each.students, Pair(each.students))
        pair.shorts.append(_short(work))
        pair.near = max(pair.near, each.near)
    return sorted(known.values(), key=lambda pair: (-len(pair.shorts), pair.students))


def _short(work: str) -> str:
    short = exercises()[work.removeprefix(PROOF)].short
    return say("reports.tests-of", short=short) if work.startswith(PROOF) else short


def _place(found: tuple[Likeness, str]) -> tuple[str, tuple[str, ...]]:
    return found[1], found[0].students
