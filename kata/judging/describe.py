"""A value in a few words, as a message gives it."""

import math
from typing import Any

from kata.text import cut

LONGEST_VALUES = 48  # characters of an array that is shown in full
LONGEST_REPR = 60  # characters of any other value


def number(value: Any) -> str:
    """A number as a learner wants to compare it."""
    if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
        return str(bool(value))
    return f"{float(value):.6g}"


def fixed(value: Any, digits: int) -> str:
    """A number with so many digits after the point, and no minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def shape(name: str, value: Any) -> str:
    """An argument in a few words: small arrays in full, larger ones by shape and dtype."""
    if not hasattr(value, "shape"):
        if hasattr(value, "held"):
            return name
        return f"{name}={cut(repr(value), LONGEST_REPR, '...')}"
    if 0 < math.prod(value.shape) <= 12 and len(text := _values(value.tolist())) <= LONGEST_VALUES:
        return f"{name} {text}"
    dtype = str(value.dtype).removeprefix("torch.")
    return f"{name} {tuple(value.shape)} {dtype}"


def _values(values: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_values(each) for each in values)}]"
    return number(values)
