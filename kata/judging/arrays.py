"""Arrays in a comparison, as a message shows them: the worst place, a picture, all numbers."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kata.judging.inputs import numpy
from kata.judging.values import ALIGNED
from kata.verdict import Picture

WIDEST = 12  # rows and columns of a picture; wider ones would not fit side by side
MOST_SOUGHT = 4096  # numbers of an array in which misplaced ones are looked for
SAME = 1e-6  # relative distance between a number and the one that is expected elsewhere
# A right answer may be off by rounding: a root taken in float32 shifts a float64 result by 1e-7,
# and attention written in different ways agrees to 4e-7 in float32. Both rtol and atol.
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-6}
MOST = 24  # numbers of one array
MOST_IN_ALL = 48  # of all arguments together
MOST_LINES = 16  # that they take
WIDEST_LINE = 56  # columns of a line, which fits into the narrowest terminal with its indentation
DIGITS = (4, 6, 9, 12)


def close(mine: Any, right: Any, dtype: str) -> Any:
    """Mark the entries that agree as closely as this dtype allows; infinity equals only itself."""
    if "f" not in {right.dtype.kind, mine.dtype.kind}:
        return mine == right
    limit = TOLERANCE.get(dtype, 1e-6)
    with np.errstate(invalid="ignore"):  # inf − inf; equal infinities are equal all the same
        near = np.abs(mine - right) <= limit * (1 + np.abs(right))
    near &= np.isfinite(right)
    return near | (mine == right)


def worst_place(mine: Any, right: Any, wrong: Any) -> tuple[int, ...]:
    """Return the place of the worst wrong entry; values that are not finite are the worst."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(mine.astype(np.float64) - right.astype(np.float64))
    gap = np.where(np.isfinite(gap), gap, np.inf)
    flat = np.argmax(np.where(wrong, gap, -np.inf))
    return tuple(int(at) for at in np.unravel_index(flat, wrong.shape))


def picture_of(mine: Any, right: Any, wrong: Any) -> Picture | None:
    """Return the last two dimensions around the worst value; None for a single number."""
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
    """Say where the numbers of a window belong, if most wrong ones are right elsewhere."""
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
    """Return the flat indices at which these numbers are expected, or -1; None if unclear."""
    if right.size > MOST_SOUGHT or not {right.dtype.kind, mine.dtype.kind} <= set("fiu"):
        return None
    order = np.argsort(right, axis=None)
    value = right.ravel()[order].astype(np.float64)
    grain = SAME * (1 + np.abs(value))
    if not np.isfinite(value).all() or (np.diff(value) <= 2 * grain[1:]).any():
        return None  # a number that is expected twice belongs to no one place
    place = np.clip(np.searchsorted(value, mine - SAME * (1 + np.abs(mine))), 0, value.size - 1)
    near = np.abs(value[place] - mine) <= grain[place]
    return np.where(near, order[place], -1)


def _mixed(homes: Any, wrong: Any) -> int:
    """Return the first dimension in which numbers are in the wrong place; samples come last."""
    moved = np.argwhere(wrong & (homes >= 0))
    home = np.stack(np.unravel_index(homes[tuple(moved.T)], wrong.shape), axis=-1)
    (mixed,) = np.nonzero((moved != home).any(axis=0))
    return int(min(mixed, key=lambda axis: (axis == 0 and wrong.ndim > 2, axis), default=0))


def _window(place: int, length: int) -> slice:
    """Return the part of an axis around a place that fits into a picture."""
    start = max(0, min(place - WIDEST // 2, length - WIDEST))
    return slice(start, start + WIDEST)


def in_full(arguments: Mapping[str, Any]) -> str:
    """Write all of these arrays, or none of them: a part of them is of no use."""
    values = {name: numpy(value) for name, value in arguments.items()}
    sizes = [value.size for value in values.values()]
    if not values or not all(0 < size <= MOST for size in sizes) or sum(sizes) > MOST_IN_ALL:
        return ""
    lines = _aligned(values, DIGITS[0])
    return lines if lines.count("\n") < MOST_LINES else ""


def both_in_full(right: Any, mine: Any, wrong: Any) -> str:
    """Write what was expected and what came back, with enough digits to tell them apart."""
    if not 1 < right.size <= MOST or right.ndim == 0:
        return ""
    digits = next(
        (number for number in DIGITS if _differ(right[wrong], mine[wrong], number)), DIGITS[-1]
    )
    return _aligned({"expected": right, "got": mine}, digits)


def _differ(right: Iterable[Any], mine: Iterable[Any], digits: int) -> bool:
    return all(_text(a, digits) != _text(b, digits) for a, b in zip(right, mine, strict=True))


def _aligned(values: Mapping[str, Any], digits: int) -> str:
    width = max(map(len, values))
    return "\n".join(_lines(f"{name:<{width}}", value, digits) for name, value in values.items())


def _lines(name: str, values: Any, digits: int) -> str:
    """Write `name = [[1, 2], [3, 4]]`, one row below the other, as Python reads it."""
    head = f"{name} = "
    width = max(len(_text(value, digits)) for value in values.flat)
    rows = np.array2string(
        values,
        max_line_width=WIDEST_LINE,
        separator=", ",
        prefix=head,
        formatter={"all": lambda value: _text(value, digits).rjust(width)},
        threshold=MOST,
    )
    return "\n".join(f"{ALIGNED}{line}".rstrip() for line in f"{head}{rows}".splitlines() if line)


def _text(value: Any, digits: int) -> str:
    """Write a whole number in full, any other with so many digits."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.{max(digits, 6) if abs(value) >= 1000 else digits}g}"
