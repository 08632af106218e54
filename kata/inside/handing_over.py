"""What a test may give to the answer that it tests."""

import sys
from types import SimpleNamespace
from typing import Any

from kata.words import say

MOST_NUMBERS = 2 * 2**20  # in one call: each may become a double


class UnavailableError(Exception):
    """What a test cannot have, whatever the answer that it tests."""


def check_handed_over(*values: Any) -> None:
    """Raise UnavailableError for what no test may give to an answer."""
    left, numbers = [*values], 0
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
        elif not _is_plain(value, numpy, torch):
            raise UnavailableError(say("inside.not-handed-over", kind=type(value).__name__))
    if numbers > MOST_NUMBERS:
        raise UnavailableError(say("inside.large", count=numbers, most=MOST_NUMBERS))


def _is_plain(value: Any, numpy: Any, torch: Any) -> bool:
    """Whether it is a number, a text, a setting, or something that can be called."""
    if value is None or isinstance(value, (bool, int, float, str)) or callable(value):
        return True
    if numpy and isinstance(value, numpy.generic):
        return True
    return bool(torch and isinstance(value, torch.dtype))
