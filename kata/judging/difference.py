"""Where two arrays differ by more than a right answer may, and a picture of that place."""

from typing import Any

import numpy as np

from kata.verdict import Picture

WIDEST = 12  # rows and columns of a picture; wider ones would not fit side by side
MOST_SOUGHT = 4096  # numbers among which each is looked for
SAME = 1e-6  # how close a number comes to the one that is expected elsewhere, relatively

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


def picture_of(mine: Any, right: Any, wrong: Any) -> Picture | None:
    """The last two dimensions, at the place of the worst value; a single number has none."""
    if wrong.size < 2:
        return None
    mine, right, wrong = (np.atleast_2d(value) for value in (mine, right, wrong))
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
        shape=list(wrong.shape),
        worst=[row - rows.start, column - columns.start],
        **_misplaced(mine, right, wrong, window),
    )


def _misplaced(mine: Any, right: Any, wrong: Any, window: tuple[Any, ...]) -> dict[str, Any]:
    """Where the numbers of a window belong, if most that are wrong here are right elsewhere."""
    homes = _homes(mine, right)
    if homes is None or (homes >= 0)[wrong].mean() <= 0.5:
        return {}
    axis = _mixed(homes, wrong)
    along = np.where(homes < 0, -1, np.unravel_index(np.maximum(homes, 0), right.shape)[axis])
    worst = homes[worst_place(mine, right, wrong)]
    home = [int(value) for value in np.unravel_index(worst, right.shape)] if worst >= 0 else []
    return {
        "axis": axis,
        "home": home,
        "belongs": along[window].tolist(),
        "stands": np.indices(right.shape)[axis][window].tolist(),
    }


def _homes(mine: Any, right: Any) -> Any:
    """The flat index at which each of these numbers is expected, or -1; None if that is unclear."""
    if right.size > MOST_SOUGHT or not {right.dtype.kind, mine.dtype.kind} <= set("fiu"):
        return None
    order = np.argsort(right, axis=None)
    value = right.ravel()[order].astype(np.float64)
    grain = SAME * (1 + np.abs(value))
    if not np.isfinite(value).all() or (np.diff(value) <= 2 * grain[1:]).any():
        return None  # a number that is expected twice belongs to no one place
    clip = np.clip(np.searchsorted(value, mine - SAME * (1 + np.abs(mine))), 0, value.size - 1)
    near = np.abs(value[clip] - mine) <= grain[clip]
    return np.where(near, order[clip], -1)


def _mixed(homes: Any, wrong: Any) -> int:
    """The first dimension in which numbers are in the wrong place; samples come last."""
    moved = np.argwhere(wrong & (homes >= 0))
    home = np.stack(np.unravel_index(homes[tuple(moved.T)], wrong.shape), axis=-1)
    (mixed,) = np.nonzero((moved != home).any(axis=0))
    return int(min(mixed, key=lambda axis: (axis == 0 and wrong.ndim > 2, axis), default=0))


def _window(place: int, length: int) -> slice:
    """The part of an axis round a place that fits into a picture."""
    start = max(0, min(place - WIDEST // 2, length - WIDEST))
    return slice(start, start + WIDEST)
