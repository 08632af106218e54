"""Small arrays in full, in aligned lines: what a learner needs to compute a case again by hand."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from kata.judging.describe import ALIGNED
from kata.judging.inputs import numpy

MOST = 24  # numbers of one array
MOST_GIVEN = 48  # of all arguments together
MOST_LINES = 16  # that they take
WIDEST = 56  # columns of a line, which fits into the narrowest terminal with its indentation
DIGITS = (4, 6, 9, 12)


def in_full(given: Mapping[str, Any]) -> str:
    """All of these arrays, or none of them: some of them alone are of no use."""
    values = {name: numpy(value) for name, value in given.items()}
    sizes = [value.size for value in values.values()]
    if not values or not all(0 < size <= MOST for size in sizes) or sum(sizes) > MOST_GIVEN:
        return ""
    width = max(map(len, values))
    texts = [
        _lines(f"{name:<{width}}", each, partial(_text, digits=DIGITS[0]))
        for name, each in values.items()
    ]
    lines = "\n".join(texts)
    return lines if lines.count("\n") < MOST_LINES else ""


def both_in_full(right: Any, mine: Any, wrong: Any) -> str:
    """What was expected and what came back, with digits enough to tell wrong numbers apart."""
    if not 1 < right.size <= MOST or right.ndim == 0:
        return ""
    digits = next(
        (number for number in DIGITS if _differ(right[wrong], mine[wrong], number)), DIGITS[-1]
    )
    named = {"expected": right, "got": mine}
    width = max(map(len, named))
    text = partial(_text, digits=digits)
    return "\n".join(_lines(f"{name:<{width}}", value, text) for name, value in named.items())


def _differ(right: Iterable[Any], mine: Iterable[Any], digits: int) -> bool:
    return all(_text(a, digits) != _text(b, digits) for a, b in zip(right, mine, strict=True))


def _lines(name: str, values: Any, text: Any) -> str:
    """`name = [[1, 2], [3, 4]]`, one row below the other, as Python reads it."""
    head = f"{name} = "
    width = max(len(text(value)) for value in values.flat)
    shown = np.array2string(
        values,
        max_line_width=WIDEST,
        separator=", ",
        prefix=head,
        formatter={"all": lambda value: text(value).rjust(width)},
        threshold=MOST,
    )
    return "\n".join(f"{ALIGNED}{line}".rstrip() for line in f"{head}{shown}".splitlines() if line)


def _text(value: Any, digits: int) -> str:
    """A whole number in full, any other with so many digits."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.{max(digits, 6) if abs(value) >= 1000 else digits}g}"
