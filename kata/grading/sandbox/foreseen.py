"""Whether a question is the one that a script expects, without writing either of them as bytes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kata.inside import wire


def given_in(question: Any, expected: Any) -> wire.Arrays | None:
    """The arrays of a question, each once, in the order of `wire.encode`.

    None if it is not surely the expected one: a comparison of the bytes has to decide.
    """
    match = _Match()
    return match.given if match.same(question, expected) else None


class _Match:
    def __init__(self) -> None:
        self.given: wire.Arrays = []
        self._known: dict[int, Any] = {}  # the expected array for each of the question

    def same(self, mine: Any, other: Any) -> bool:
        if isinstance(mine, (tuple, list)):
            return type(mine) is type(other) and self._all_same(mine, other)
        if isinstance(mine, Mapping):
            keys = type(mine) is type(other) and [*mine] == [*other]
            return keys and self._all_same([*mine.values()], [*other.values()])
        if isinstance(mine, np.ndarray) or hasattr(mine, "detach"):
            return self._same_array(mine, other)
        return type(mine) is type(other) and bool(mine == other)

    def _all_same(self, mine: Any, other: Any) -> bool:
        return len(mine) == len(other) and all(map(self.same, mine, other))

    def _same_array(self, mine: Any, other: Any) -> bool:
        """The same numbers, in the same order in memory; twice the same array in both."""
        if id(mine) in self._known:
            return self._known[id(mine)] is other
        if any(other is each for each in self._known.values()):
            return False
        self._known[id(mine)] = other
        self.given.append(mine)
        return (
            type(mine) is type(other) and mine.dtype == other.dtype and _same_numbers(mine, other)
        )


def _same_numbers(mine: Any, other: Any) -> bool:
    if mine.shape != other.shape:
        return False
    if isinstance(mine, np.ndarray):
        return mine.strides == other.strides and bool((mine == other).all())
    if mine.is_meta or mine.requires_grad != other.requires_grad:
        return False
    return mine.stride() == other.stride() and bool(mine.equal(other))
