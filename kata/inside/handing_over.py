"""What a test may give to the answer that it tests."""

import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from kata.words import say

MOST_NUMBERS = 2 * 2**20  # in one call: each may become a double


class UnavailableError(Exception):
    """What a test cannot have, whatever the answer that it tests."""


def check_handed_over(*values: Any) -> None:
    """Raise UnavailableError for what no test may give to an answer."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    numbers, others = _counted(values)
    for each in others:
        if not _is_plain(each, numpy, torch):
            raise UnavailableError(say("inside.not-handed-over", kind=type(each).__name__))
    if numbers > MOST_NUMBERS:
        raise UnavailableError(say("inside.large", count=numbers, most=MOST_NUMBERS))


def check_result(value: Any) -> None:
    """Raise UnavailableError for a result that is too large for a test."""
    numbers, _ = _counted((value,))
    if numbers > MOST_NUMBERS:
        raise UnavailableError(say("inside.large-result", count=numbers, most=MOST_NUMBERS))


def _counted(values: Sequence[Any]) -> tuple[int, list[Any]]:
    """The numbers in all arrays, and what is no array."""
    left, numbers, others = [*values], 0, []
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    while left:
        value = left.pop()
        if isinstance(value, (list, tuple)):
            left += value
        elif isinstance(value, SimpleNamespace):
            left += vars(value).values()
        elif torch and isinstance(value, torch.Tensor):
            numbers += value.numel()
        elif numpy and isinstance(value, numpy.ndarray):
            numbers += value.size
        else:
            others.append(value)
    return numbers, others


def _is_plain(value: Any, numpy: Any, torch: Any) -> bool:
    """Whether it is a number, a text, a setting, or something that can be called."""
    if value is None or isinstance(value, (bool, int, float, str)) or callable(value):
        return True
    if numpy and isinstance(value, numpy.generic):
        return True
    return bool(torch and isinstance(value, torch.dtype))
