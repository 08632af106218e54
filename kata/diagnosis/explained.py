"""How much of what is wrong in a claim a suspect reproduces, number by number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kata.diagnosis.observe import Finding
from kata.diagnosis.trace import CallSeen, Closeness, alike_outcomes, is_error, is_named, near

FEW = 3  # different numbers: no other mistake gives them by accident
MANY = 6  # places: no other mistake gives the same pattern of two numbers by accident


@dataclass(frozen=True)
class Explained:
    """How many wrong places of a claim are the same in both, and out of how many.

    `telling` if another mistake would hardly give the same by accident; `pattern` if at least the
    places tell something, since others are right.
    """

    same: float = 0.0
    all: float = 0.0
    telling: bool = False
    pattern: bool = False

    @property
    def share(self) -> float:
        """1 for the same failure, 0 for another one."""
        return self.same / self.all if self.all else 0.0

    def __add__(self, other: "Explained") -> "Explained":
        return Explained(
            self.same + other.same,
            self.all + other.all,
            self.telling or other.telling,
            self.pattern or other.pattern,
        )


NOTHING, ONE_PLACE = Explained(), Explained(0, 1)


def explained(
    mine: Finding, theirs: Finding, right: Finding, findings: Sequence[Finding], look: Closeness
) -> Explained:
    """Compare two failures of a claim by how each of them differs from the reference.

    Places at which one of those that are `known` gives the same are left out.
    """
    others = [theirs, right, *findings]
    calls = [
        (seen, [_at(other, place, seen.label) for other in others])
        for place, seen in enumerate(mine.sights)
    ]
    found = sum((_outcomes(*call, look) for call in calls), NOTHING)
    if not found.all:  # the values are right, or explained
        found = sum((_changes(*call, look) for call in calls), NOTHING)
    if theirs.verdict.state != mine.verdict.state:
        found = Explained(0, found.all)
    return found if found.all or findings else ONE_PLACE


def _at(finding: Finding, place: int, label: str) -> CallSeen | None:
    """What was seen at the same place, if it was the same call."""
    seen = finding.sights[place] if place < len(finding.sights) else None
    return seen if seen and seen.label == label else None


def _outcomes(mine: CallSeen, others: list[CallSeen | None], look: Closeness) -> Explained:
    """Part by part of a result."""
    outcomes = [other.outcome if other else None for other in others]
    each_part = parts([mine.outcome, *outcomes])
    return sum((_part(part, mine, look) for part in each_part), NOTHING)


def _changes(mine: CallSeen, others: list[CallSeen | None], look: Closeness) -> Explained:
    """What the call did to its arguments."""
    changed = [other.changed if other else None for other in others]
    return _whole([mine.changed, *changed], mine, look)


def parts(values: list[Any]) -> Iterator[list[Any]]:
    """The values of a result that consists of several, one by one."""
    if all(is_named(value) for value in values):
        yield [frozenset(name for name, _ in value) for value in values]
        names = set.intersection(*({name for name, _ in value} for value in values))
        values = [[dict(value)[name] for name in sorted(names)] for value in values]
    many = [isinstance(value, (tuple, list)) and not is_error(value) for value in values]
    if all(many) and len({len(value) for value in values}) == 1:
        for several in zip(*values, strict=True):
            yield from parts(list(several))
    else:
        yield values


def _part(values: list[Any], seen: CallSeen, look: Closeness) -> Explained:
    mine, theirs = values[:2]
    arrays = isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray)
    if arrays and mine.shape == theirs.shape and mine.ndim and seen.chance is None:
        return _cells(values, look)
    return _whole(values, seen, look)


def _whole(values: list[Any], seen: CallSeen, look: Closeness) -> Explained:
    """A value that is the same or not."""
    mine, theirs, right, *known = values
    if any(alike_outcomes(mine, value, look, seen.chance) for value in known):
        return NOTHING
    if alike_outcomes(mine, right, look, seen.chance):
        return Explained(0, float(not alike_outcomes(theirs, right, look, seen.chance)))
    same = alike_outcomes(mine, theirs, look, seen.chance)
    return Explained(float(same), 1, same and not isinstance(mine, (int, str)))


def _cells(values: list[Any], look: Closeness) -> Explained:
    """Two arrays of one shape, number by number."""
    mine, theirs, right, *known = values
    wrong, others = _differs(mine, right, look), _differs(theirs, right, look)
    for value in known:
        open_ = _differs(mine, value, look)
        wrong, others = wrong & open_, others & open_
    same = near(mine, theirs, look) & wrong
    comparable = isinstance(right, np.ndarray) and right.shape == mine.shape
    telling = comparable and _tells(mine[same])  # sizes of one make different shapes alike
    pattern = comparable and bool(FEW <= same.sum() < same.size)
    return Explained(float(same.sum()), float((wrong | others).sum()), telling, pattern)


def _differs(one: Any, other: Any, look: Closeness) -> Any:
    if isinstance(other, np.ndarray) and other.shape == one.shape:
        return ~near(one, other, look)
    return np.ones(one.shape, bool)


def _tells(values: Any) -> bool:
    """Whether these wrong numbers are too many, and too different, for an accident."""
    different = len(np.unique(values[np.isfinite(values)])) if values.size else 0
    return different >= FEW or (different > 1 and values.size >= MANY)
