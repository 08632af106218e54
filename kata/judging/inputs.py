"""Inputs for claims, from the claim's seed; and results in other forms than the contract's."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

import numpy as np

from kata.judging.case import current, run_seed

WHOLE = "iu"  # the kinds of dtypes of whole numbers


def normal(*shape: int, scale: float = 1.0, dtype: str = "", grad: bool = False) -> Any:
    """Numbers from N(0, scale²)."""
    case = current()
    numbers = np.asarray(scale * case.rng.standard_normal(shape))
    if case.library == "numpy":
        return given(numbers, dtype=dtype)
    import torch  # NumPy exercises start without it

    tensor = torch.from_numpy(numbers).to(case.device or "cpu", getattr(torch, dtype or "float32"))
    return tensor.requires_grad_(grad)


def given(values: Any, dtype: str = "", grad: bool = False) -> Any:
    """These values, as the exercise's library has them; floats are float32 in torch."""
    case = current()
    array = np.asarray(values)
    if case.library == "numpy":
        return array.astype(dtype) if dtype else array
    import torch  # NumPy exercises start without it

    usual = torch.float32 if array.dtype.kind == "f" else None
    kind = getattr(torch, dtype) if dtype else usual
    tensor = torch.tensor(array, dtype=kind, device=case.device or "cpu")
    return tensor.requires_grad_(grad)


def keep_mask(*shape: int) -> Any:
    """A random mask in which every query may attend to at least one key and is refused one."""
    mask = current().rng.random(shape) < 0.6
    keys = np.arange(shape[-1])
    first = current().rng.integers(shape[-1], size=(*shape[:-1], 1))
    mask |= keys == first
    mask &= keys != (first + 1) % shape[-1]
    return given(mask)


def one_of(usual: Any, *others: Any) -> Any:
    """The usual value in a learner's run; any of them in a graded run, as its seed decides.

    This, `nudged` and `in_any_order` are for what a claim does not draw: answers that somebody has
    written down in one run are of no use in the next one.
    """
    if not run_seed():
        return usual
    return (usual, *others)[current().rng.integers(1 + len(others))]


def nudged(values: Any, by: float) -> Any:
    """These values in a learner's run; each up to so much above or below in a graded run."""
    array = np.asarray(values, dtype=np.float64)
    return array + current().rng.uniform(-by, by, array.shape) if run_seed() else array


def in_any_order(things: Sequence[Any]) -> list[Any]:
    """These in a learner's run; the same in another order in a graded run."""
    order = current().rng.permutation(len(things)) if run_seed() else range(len(things))
    return [things[each] for each in order]


def numpy(value: Any) -> "np.ndarray[Any, Any]":
    """Any array, tensor or nested list as a NumPy array; floats become float64.

    A tensor on the device "meta" has a shape and no numbers: zeros stand for them.
    """
    if hasattr(value, "detach"):
        value = value.detach()
        value = value.new_zeros(value.shape, device="cpu") if value.is_meta else value.cpu()
        value = value.double().numpy() if value.is_floating_point() else value.numpy()
    array = np.asarray(value)
    return array.astype(np.float64, copy=False) if array.dtype.kind == "f" else array


def arrays(*values: Any) -> Sequence["np.ndarray[Any, Any]"]:
    """Several at once, for an oracle in NumPy."""
    return [numpy(value) for value in values]


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
