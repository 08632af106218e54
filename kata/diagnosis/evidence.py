"""What a failing claim says by itself, without any known mistake."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kata.diagnosis.observe import (
    CallSeen,
    Closeness,
    Finding,
    alike_outcomes,
    cause_of,
    is_error,
    is_named,
    near,
)
from kata.verdict import Diagnosis, Fit, State

ERROR = re.compile(r"(\w+): (.*)")
SHAPES = re.compile(r"^(?!.*parameter).*shape \(([\d, ]+)\), expected \(([\d, ]+)\)")
LOOK = Closeness(1e-4)
FEW = 6  # numbers: of fewer, accident makes many things true
FEW_NUMBERS = 3  # different numbers: no other mistake gives them by accident
MANY = 6  # places: no other mistake gives the same pattern of two numbers by accident


def crash(first: Finding) -> Diagnosis | None:
    """The cause of the error that made this claim fail, if its kind and text have only one."""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    kind, text = (outcome[1][0], outcome[2]) if is_error(outcome) else _on_import(first)
    mistake = kind and (cause_of("crashes", text) or cause_of("crashes", f"{kind}: {text}"))
    return Diagnosis(Fit.CRASH, (mistake,), 1) if mistake else None


def _on_import(first: Finding) -> tuple[str, str]:
    """The error that was raised before anything was called; empty if there was none."""
    message = first.verdict.message if first.verdict.state is State.ERROR else None
    match = ERROR.fullmatch(message.evidence.partition("\n")[0]) if message else None
    return (match[1], match[2]) if match else ("", "")


def kind(first: Finding, right: Finding | None = None) -> Diagnosis | None:
    """The kind of mistake that this claim shows: by its words, or beside what is right."""
    told = first.verdict.message.evidence if first.verdict.message else ""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    if is_error(outcome) and not told.startswith(("expected ", "the message of ")):
        return None  # the words are those of the error
    line = told.split("\n", 1)[0]
    related = _related(first, right) if right else ()
    text = "\n".join([line, _of_shapes(line), *related])
    mistake = cause_of("kinds", text, re.MULTILINE)
    return Diagnosis(Fit.KIND, (mistake,), 1) if mistake else None


def _of_shapes(line: str) -> str:
    """What two shapes say that have the same sizes."""
    if not (match := SHAPES.search(line)):
        return ""
    got, expected = ([int(value) for value in re.findall(r"\d+", text)] for text in match.groups())
    if sorted(got) == sorted(expected):
        return "the same sizes in another order"
    without = [[size for size in sizes if size != 1] for sizes in (got, expected)]
    return "the same sizes but for ones" if without[0] == without[1] else ""


def _related(first: Finding, right: Finding) -> Iterator[str]:
    """How what the claim saw last relates to what is right."""
    place = len(first.sights) - 1  # where a claim fails, it ends
    if 0 <= place < len(right.sights):
        yield from relations(first.sights[place], right.sights[place])


def relations(mine: CallSeen, right: CallSeen) -> Iterator[str]:
    """What is true of the result of a call, or of a part of it."""
    if mine.label != right.label:
        return
    if any(value is not None for value in mine.changed):
        yield "an argument was changed"
    if _exchanged(_shapes(mine.outcome), _shapes(right.outcome)):
        yield "the results in another order"
        return
    for got, expected in parts([mine.outcome, right.outcome]):
        if isinstance(got, np.ndarray) and isinstance(expected, np.ndarray):
            yield from _relations_of_shapes(got.shape, expected.shape)
            if got.shape == expected.shape and mine.chance is None:
                yield from _of_array(got, expected)


def _shapes(outcome: Any) -> list[tuple[int, ...]]:
    """Those of several results; none of anything else."""
    several = isinstance(outcome, tuple) and all(isinstance(value, tuple) for value in outcome)
    values = [value[-1] for value in outcome] if several else []
    return [value.shape for value in values if isinstance(value, np.ndarray)]


def _exchanged(got: list[tuple[int, ...]], expected: list[tuple[int, ...]]) -> bool:
    return got == expected[::-1] != expected


def _of_array(got: Any, expected: Any) -> Iterator[str]:
    if got.dtype.kind == "b" == expected.dtype.kind:
        if got.size and (got == ~expected).all():
            yield "true and false exchanged"
    elif "f" in got.dtype.kind and not near(got, expected, LOOK).all():
        yield from _of_numbers(got, expected)


def _relations_of_shapes(got: tuple[int, ...], expected: tuple[int, ...]) -> Iterator[str]:
    if got == expected:
        return
    if len(got) > len(expected):
        yield "a dimension too many"
    elif len(got) < len(expected):
        yield "a dimension too few"
    elif np.prod(got) == np.prod(expected):
        yield "the same numbers of values, cut up otherwise"
    else:
        pairs = [(mine, right) for mine, right in zip(got, expected, strict=True) if mine != right]
        if len(pairs) == 1:
            yield "one size differs"
            yield from _of_sizes(*pairs[0], others=got)


def _of_sizes(got: int, expected: int, others: tuple[int, ...]) -> Iterator[str]:
    if expected == 1 and others.count(got) > 1:
        yield "a size of one became that of another dimension"
    elif abs(got - expected) == 1:
        yield "a size off by one"


def _of_numbers(got: Any, expected: Any) -> Iterator[str]:
    finite = np.isfinite(got).all() and np.isfinite(expected).all()
    if finite and _varied(expected) and (relation := _relation(got, expected)):
        yield relation


# Products of numbers that are near the largest one overflow.
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _relation(got: Any, expected: Any) -> str:
    if not got.any():
        return "nothing but zeros"
    if near(np.sort(got, None), np.sort(expected, None), LOOK).all():
        return "the right numbers in other places"
    factor = np.vdot(got, expected) / np.vdot(expected, expected)
    if near(got, expected * factor, LOOK).all():
        return "everything times the same number"
    if near(got, expected + (got - expected).mean(), LOOK).all():
        return "everything off by the same number"
    return ""


def _varied(numbers: Any) -> bool:
    return len(np.unique(numbers)) >= FEW


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
    pattern = comparable and bool(FEW_NUMBERS <= same.sum() < same.size)
    return Explained(float(same.sum()), float((wrong | others).sum()), telling, pattern)


def _differs(one: Any, other: Any, look: Closeness) -> Any:
    if isinstance(other, np.ndarray) and other.shape == one.shape:
        return ~near(one, other, look)
    return np.ones(one.shape, bool)


def _tells(values: Any) -> bool:
    """Whether these wrong numbers are too many, and too different, for an accident."""
    different = len(np.unique(values[np.isfinite(values)])) if values.size else 0
    return different >= FEW_NUMBERS or (different > 1 and values.size >= MANY)
