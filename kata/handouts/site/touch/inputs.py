"""The numbers that an exhibit computes from, drawn with a fixed seed and rounded.

They are put into the page, so that torch and the page compute from the same ones.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

WORDS = ["the", "cat", "saw", "the", "dog"]


def _normal(seed: int, *shape: int, spread: float = 1.0) -> Any:
    drawn = np.random.RandomState(seed).standard_normal(shape) * spread
    return (drawn.round(2) + 0.0).tolist()


def _even(seed: int, *shape: int, low: float = 0.0) -> Any:
    return (np.random.RandomState(seed).uniform(low, 1, shape).round(2) + 0.0).tolist()


def _bits(seed: int, rows: int, digits: int) -> list[str]:
    drawn = np.random.RandomState(seed).randint(0, 16, (rows, digits))
    return ["".join(f"{digit:x}" for digit in row) for row in drawn]


def _fills() -> dict[str, Any]:
    """The first query has the lowest of all scores, which is what finds a fill too high."""
    scores = _even(6, 5, 5, low=-1.0)
    scores[0][0] = -1.0
    return {"scores": scores}


def _norm() -> dict[str, Any]:
    rows = _normal(3, 3, 6)
    rows[1] = [round(3 + value * 2, 2) for value in rows[1]]  # far from zero
    rows[2] = [0.0] * 6  # padding
    return {"x": rows}


def _positions() -> dict[str, Any]:
    """The same word has the same query and the same key wherever it stands."""
    kinds = sorted(set(WORDS))
    places = [kinds.index(word) for word in WORDS]
    query, key = ([_normal(seed, len(kinds), 4, spread=1.2)[at] for at in places]
                  for seed in (5, 8))  # fmt: skip
    return {"query": query, "key": key, "twice": [0, 3]}


INPUTS: dict[str, Callable[[], dict[str, Any]]] = {
    "masks": lambda: {"scores": _normal(2, 7, 7, spread=1.2)},
    "fills": _fills,
    "empty-rows": lambda: {"scores": _normal(4, 5, 5)},
    "scale": lambda: {"query": _bits(1, 5, 128), "key": _bits(2, 5, 128)},
    "axis": lambda: {"scores": _normal(7, 3, 4, 5, spread=1.2)},
    "dropout": lambda: {"scores": _normal(9, 5, 5), "drawn": _even(1, 5, 5)},
    "split": lambda: {"tokens": 4, "features": 6},
    "merge": lambda: {"width": 2},
    "fused": lambda: {"width": 2},
    "norm": _norm,
    "leak": lambda: {"scores": _normal(11, 4, 6, 6)},
    "positions": _positions,
}


@cache
def inputs(name: str) -> dict[str, Any]:
    """The numbers of one exhibit."""
    return INPUTS[name]()
