"""A value in a few words, as a message gives it."""

import math
from typing import Any

from kata.text import cut

ALIGNED = "  "  # a line of a message that begins with it is aligned with others, and not wrapped
MOST_VALUES = 12  # numbers of an array in the line of a call
LONGEST_VALUES = 48  # characters of all of them together
LONGEST_ROWS = 24  # the same for an array with rows, which are read below one another
LONGEST_REPR = 60  # characters of any other value


def number(value: Any) -> str:
    """Write a number as a learner wants to compare it."""
    if _is_bool(value):
        return str(bool(value))
    return f"{float(value):.6g}"


def numbers_apart(first: Any, second: Any) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to tell them apart."""
    pairs = ((_precise(first, digits), _precise(second, digits)) for digits in (6, 9, 12, 17))
    *rest, last = pairs
    return next((pair for pair in rest if pair[0] != pair[1]), last)


def _precise(value: Any, digits: int) -> str:
    return number(value) if digits == 6 or _is_bool(value) else f"{float(value):.{digits}g}"


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}


def shape(name: str, value: Any) -> str:
    """Describe an argument: small arrays in full, larger ones by shape and dtype."""
    if not hasattr(value, "shape"):
        if hasattr(value, "held"):
            return name
        if isinstance(value, (list, tuple)) and any(hasattr(item, "shape") for item in value):
            return f"{name}=a {type(value).__name__} of {len(value)}"  # all numbers take long
        return f"{name}={cut(repr(value), LONGEST_REPR, '...')}"
    if text := _in_a_line(value):
        return f"{name} {text}"
    dtype = str(value.dtype).removeprefix("torch.")
    return f"{name} {tuple(value.shape)} {dtype}"


def needs_lines(value: Any) -> bool:
    """Tell if this is an array that is too large for the line of a call."""
    return hasattr(value, "shape") and not hasattr(value, "held") and not _in_a_line(value)


def _in_a_line(value: Any) -> str:
    """Write an array that has few numbers; return nothing for any other."""
    if not 0 < math.prod(value.shape) <= MOST_VALUES:
        return ""
    text = _values(value.tolist())
    most = LONGEST_VALUES if len(value.shape) == 1 else LONGEST_ROWS
    return text if len(text) <= most else ""


def _values(values: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_values(value) for value in values)}]"
    return number(values)
