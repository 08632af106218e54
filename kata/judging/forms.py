"""Results in another form than the contract's, of which it is beyond doubt what they hold.

A habit, such as an output without its weights, is one mistake: the claims about the form fail by
it, and the others are judged on what came back.
"""

from enum import Enum, auto
from typing import Any

import numpy as np

from kata.judging.inputs import numpy

WHOLE = "iu"  # the kinds of dtypes of whole numbers


class Form(Enum):
    """A way in which a result may differ from what was asked for."""

    ALONE = auto()  # the first of two
    HALF = auto()  # None in the place of the second
    LIST = auto()  # a list of numbers, or a number, for an array
    WHOLE = auto()  # 0 and 1 for False and True


class WithheldError(AttributeError):
    """A claim needs what did not come back."""


class Withheld:
    """The second of two, which did not come back: nothing can be said about it."""

    def __getattr__(self, name: str) -> Any:
        raise WithheldError(name)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise WithheldError


WITHHELD = Withheld()


def reformed(result: Any, forms: set[Form], library: str) -> Any:
    """The result in the form that was asked for, if it differs from that in these ways."""
    if Form.LIST in forms and isinstance(result, (int, float, list)):
        return _array(result, library)
    if Form.WHOLE in forms and _is_array(result) and _is_truth(result):
        return result != 0
    if Form.ALONE in forms and _is_array(result):
        return result, WITHHELD
    if Form.HALF in forms and isinstance(result, (tuple, list)):
        return tuple(WITHHELD if value is None else value for value in result)
    return result


def form_of_pair(got: Any, count: int) -> Form | None:
    """How a result differs that should have been a tuple of so many."""
    return Form.ALONE if count == 2 and _is_array(got) else None


def form_of_array(got: Any, what: object) -> Form | None:
    """How a result differs that should have been an array, or a part of it of this name."""
    if got is None and what:
        return Form.HALF
    is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
    return Form.LIST if is_number or isinstance(got, list) else None


def form_of_truth(got: Any) -> Form | None:
    """How a mask differs that should have been boolean."""
    return Form.WHOLE if _is_truth(got) else None


def _is_truth(got: Any) -> bool:
    values = numpy(got)
    return values.dtype.kind in WHOLE and bool(np.isin(values, (0, 1)).all())


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


def _array(numbers: Any, library: str) -> Any:
    """As the library itself makes one of them; as they are if that cannot be done."""
    try:
        values = np.array(numbers)
    except ValueError:  # of different lengths
        return numbers
    if values.dtype.kind not in "iufb":
        return numbers
    if library == "numpy":
        return values
    import torch

    return torch.as_tensor(numbers)
