"""The evidence of a failing claim: what it says by itself, and how far a suspect explains it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kata.diagnosis.observe import (
    Closeness,
    Finding,
    Sight,
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
FEW = 6  # numbers: of fewer, accident makes many relations true
FEW_NUMBERS = 3  # different numbers: no other mistake gives them by accident
MANY = 6  # places: no other mistake gives the same pattern of two numbers by accident


def crash(first: Finding) -> Diagnosis | None:
    """Return the cause of the error in a claim that fails, if kind and text have only one."""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    kind, text = (outcome[1][0], outcome[2]) if is_error(outcome) else _on_import(first)
    mistake = kind and (cause_of("crashes", text) or cause_of("crashes", f"{kind}: {text}"))
    return Diagnosis(Fit.CRASH, (mistake,), 1) if mistake else None


def _on_import(first: Finding) -> tuple[str, str]:
    """Return the error that was raised before anything was called; empty if there was none."""
    message = first.verdict.message if first.verdict.state is State.ERROR else None
    match = ERROR.fullmatch(message.evidence.partition("\n")[0]) if message else None
    return (match[1], match[2]) if match else ("", "")


def kind(first: Finding, right: Finding | None = None) -> Diagnosis | None:
    """Return the kind of mistake that this claim shows: by its words, or beside what is right."""
    words = first.verdict.message.evidence if first.verdict.message else ""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    if is_error(outcome) and not words.startswith(("expected ", "the message of ")):
        return None  # the words are those of the error
    line = words.split("\n", 1)[0]
    related = _related(first, right) if right else ()
    text = "\n".join([line, _relation_of_sizes(line), *related])
    mistake = cause_of("kinds", text, re.MULTILINE)
    return Diagnosis(Fit.KIND, (mistake,), 1) if mistake else None


def _relation_of_sizes(line: str) -> str:
    """Relate two shapes with the same sizes."""
    if not (match := SHAPES.search(line)):
        return ""
    got, expected = ([int(value) for value in re.findall(r"\d+", text)] for text in match.groups())
    if sorted(got) == sorted(expected):
        return "the same sizes in another order"
    without = [[size for size in sizes if size != 1] for sizes in (got, expected)]
    return "the same sizes but for ones" if without[0] == without[1] else ""


def _related(first: Finding, right: Finding) -> Iterator[str]:
    """Relate what the claim saw last to what is right."""
    place = len(first.sights) - 1  # where a claim fails, it ends
    if 0 <= place < len(right.sights):
        yield from relations(first.sights[place], right.sights[place])


def relations(mine: Sight, right: Sight) -> Iterator[str]:
    """Yield what is true of the result of a call, or of a part of it."""
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
                yield from _relations_of_arrays(got, expected)


def _shapes(outcome: Any) -> list[tuple[int, ...]]:
    """Return the shapes of several results; none of a single one."""
    several = isinstance(outcome, tuple) and all(isinstance(value, tuple) for value in outcome)
    values = [value[-1] for value in outcome] if several else []
    return [value.shape for value in values if isinstance(value, np.ndarray)]


def _exchanged(got: list[tuple[int, ...]], expected: list[tuple[int, ...]]) -> bool:
    return got == expected[::-1] != expected


def _relations_of_arrays(got: Any, expected: Any) -> Iterator[str]:
    if got.dtype.kind == "b" == expected.dtype.kind:
        if got.size and (got == ~expected).all():
            yield "true and false exchanged"
    elif "f" in got.dtype.kind and not near(got, expected, LOOK).all():
        finite = np.isfinite(got).all() and np.isfinite(expected).all()
        varied = finite and len(np.unique(expected)) >= FEW
        if varied and (relation := _relation_of_numbers(got, expected)):
            yield relation


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
            yield from _relations_of_one_size(*pairs[0], shape=got)


def _relations_of_one_size(got: int, expected: int, shape: tuple[int, ...]) -> Iterator[str]:
    if expected == 1 and shape.count(got) > 1:
        yield "a size of one became that of another dimension"
    elif abs(got - expected) == 1:
        yield "a size off by one"


# Products of numbers that are near the largest one overflow.
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _relation_of_numbers(got: Any, expected: Any) -> str:
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


# -- beside a suspect


@dataclass(frozen=True)
class Agreement:
    """The number of wrong places of a claim that are the same in both answers, and of all.

    `telling` if another mistake would hardly produce the same by accident; `pattern` if at least
    the places tell something, since others are right.
    """

    same: float = 0.0
    all: float = 0.0
    telling: bool = False
    pattern: bool = False

    @property
    def share(self) -> float:
        """The share of wrong places that are the same: 1 for the same failure."""
        return self.same / self.all if self.all else 0.0

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            self.same + other.same,
            self.all + other.all,
            self.telling or other.telling,
            self.pattern or other.pattern,
        )


NOTHING, ONE_PLACE = Agreement(), Agreement(0, 1)


def agreement(
    mine: Finding, theirs: Finding, right: Finding, beside: Sequence[Finding], look: Closeness
) -> Agreement:
    """Compare two failures of a claim by how they differ from the reference.

    Places at which a finding of `beside` is the same as mine are left out: it explains these.
    """
    others = [theirs, right, *beside]
    calls = [
        (sight, [_sight_at(other, place, sight.label) for other in others])
        for place, sight in enumerate(mine.sights)
    ]
    total = sum((_in_outcomes(*call, look) for call in calls), NOTHING)
    if not total.all:  # the values are right, or explained
        total = sum((_in_changes(*call, look) for call in calls), NOTHING)
    if theirs.verdict.state != mine.verdict.state:
        total = Agreement(0, total.all)
    return total if total.all or beside else ONE_PLACE


def _sight_at(finding: Finding, place: int, label: str) -> Sight | None:
    """Return the sight at the same place, if it is of the same call."""
    sight = finding.sights[place] if place < len(finding.sights) else None
    return sight if sight and sight.label == label else None


def _in_outcomes(mine: Sight, others: list[Sight | None], look: Closeness) -> Agreement:
    outcomes = [other.outcome if other else None for other in others]
    values_of_parts = parts([mine.outcome, *outcomes])
    return sum((_in_part(values, mine, look) for values in values_of_parts), NOTHING)


def _in_changes(mine: Sight, others: list[Sight | None], look: Closeness) -> Agreement:
    """Compare the arguments that the call has changed."""
    changed = [other.changed if other else None for other in others]
    return _in_value([mine.changed, *changed], mine, look)


def parts(values: list[Any]) -> Iterator[list[Any]]:
    """Yield the values of a result that consists of several, side by side for all answers."""
    if all(is_named(value) for value in values):
        yield [frozenset(name for name, _ in value) for value in values]
        names = set.intersection(*({name for name, _ in value} for value in values))
        values = [[dict(value)[name] for name in sorted(names)] for value in values]
    several = [isinstance(value, (tuple, list)) and not is_error(value) for value in values]
    if all(several) and len({len(value) for value in values}) == 1:
        for values_of_part in zip(*values, strict=True):
            yield from parts(list(values_of_part))
    else:
        yield values


def _in_part(values: list[Any], sight: Sight, look: Closeness) -> Agreement:
    mine, theirs = values[:2]
    arrays = isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray)
    if arrays and mine.shape == theirs.shape and mine.ndim and sight.chance is None:
        return _in_cells(values, look)
    return _in_value(values, sight, look)


def _in_value(values: list[Any], sight: Sight, look: Closeness) -> Agreement:
    """Compare values that are the same or not."""
    mine, theirs, right, *beside = values
    if any(alike_outcomes(mine, value, look, sight.chance) for value in beside):
        return NOTHING
    if alike_outcomes(mine, right, look, sight.chance):
        return Agreement(0, float(not alike_outcomes(theirs, right, look, sight.chance)))
    same = alike_outcomes(mine, theirs, look, sight.chance)
    return Agreement(float(same), 1, same and not isinstance(mine, (int, str)))


def _in_cells(values: list[Any], look: Closeness) -> Agreement:
    """Compare arrays of one shape number by number."""
    mine, theirs, right, *beside = values
    wrong, others = _differs(mine, right, look), _differs(theirs, right, look)
    for value in beside:
        unexplained = _differs(mine, value, look)
        wrong, others = wrong & unexplained, others & unexplained
    same = near(mine, theirs, look) & wrong
    comparable = isinstance(right, np.ndarray) and right.shape == mine.shape
    telling = comparable and _tells(mine[same])  # sizes of one make different shapes alike
    pattern = comparable and bool(FEW_NUMBERS <= same.sum() < same.size)
    return Agreement(float(same.sum()), float((wrong | others).sum()), telling, pattern)


def _differs(array: Any, other: Any, look: Closeness) -> Any:
    if isinstance(other, np.ndarray) and other.shape == array.shape:
        return ~near(array, other, look)
    return np.ones(array.shape, bool)


def _tells(values: Any) -> bool:
    """Tell if these wrong numbers are too many, and too different, for an accident."""
    different = len(np.unique(values[np.isfinite(values)])) if values.size else 0
    return different >= FEW_NUMBERS or (different > 1 and values.size >= MANY)
