"""Where two arrays differ by more than a right answer may, and a picture of that place."""

from typing import Any

import numpy as np

from kata.verdict import Picture

WIDEST = 12  # rows and columns of a picture; wider ones would not fit side by side

# A right answer may be off by rounding: a root taken in float32 shifts a float64 result by 1e-7,
# and attention written in different ways agrees to 4e-7 in float32. Both rtol and atol.
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-6}


def close(mine: Any, right: Any, dtype: str) -> Any:
    """Which entries agree, as closely as this dtype allows; to infinity only infinity is close."""
    if "f" not in {right.dtype.kind, mine.dtype.kind}:
        return mine == right
    limit = TOLERANCE.get(dtype, 1e-6)
    with np.errstate(invalid="ignore"):  # inf − inf; equal infinities are equal all the same
        near = np.abs(mine - right) <= limit * (1 + np.abs(right))
    near &= np.isfinite(right)
    return near | (mine == right)


def worst_place(mine: Any, right: Any, wrong: Any) -> tuple[int, ...]:
    """The wrong entry that is furthest off; values that are not finite are the furthest."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(mine.astype(np.float64) - right.astype(np.float64))
    gap = np.where(np.isfinite(gap), gap, np.inf)
    flat = np.argmax(np.where(wrong, gap, -np.inf))
    return tuple(int(each) for each in np.unravel_index(flat, wrong.shape))


def picture_of(mine: Any, right: Any, wrong: Any) -> Picture:
    """The last two dimensions, at the place of the worst value."""
    *slab, row, column = worst_place(mine, right, wrong)
    rows, columns = _window(row, wrong.shape[-2]), _window(column, wrong.shape[-1])
    window = (*slab, rows, columns)
    return Picture(
        expected=right[window].astype(float).tolist(),
        got=mine[window].astype(float).tolist(),
        wrong=wrong[window].tolist(),
        where=", ".join(map(str, slab)),
        row=rows.start,
        column=columns.start,
    )


def _window(place: int, length: int) -> slice:
    """The part of an axis round a place that fits into a picture."""
    start = max(0, min(place - WIDEST // 2, length - WIDEST))
    return slice(start, start + WIDEST)
