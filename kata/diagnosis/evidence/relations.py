"""How a wrong result relates to the right one, in sentences that have one meaning each."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kata.diagnosis.explained import parts
from kata.diagnosis.trace import CallSeen, Closeness, near

LOOK = Closeness(1e-4)
FEW = 6  # numbers: of fewer, accident makes many things true


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
            yield from _of_shapes(got.shape, expected.shape)
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


def _of_shapes(got: tuple[int, ...], expected: tuple[int, ...]) -> Iterator[str]:
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
