"""The inputs of claims, drawn from the claim's seed, and results as NumPy arrays for oracles."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kata.judging.case import current, run_seed


def normal(*shape: int, scale: float = 1.0, dtype: str = "", grad: bool = False) -> Any:
    """Return numbers from N(0, scale²)."""
    case = current()
    numbers = np.asarray(scale * case.rng.standard_normal(shape))
    if case.library == "numpy":
        return given(numbers, dtype=dtype)
    import torch  # NumPy exercises start without it

    tensor = torch.from_numpy(numbers).to(case.device or "cpu", getattr(torch, dtype or "float32"))
    return tensor.requires_grad_(grad)


def given(values: Any, dtype: str = "", grad: bool = False) -> Any:
    """Return these values as the exercise's library has them; floats are float32 in torch."""
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
    """Return a random mask in which every query has a key to attend to and one that is hidden."""
    mask = current().rng.random(shape) < 0.6
    keys = np.arange(shape[-1])
    first = current().rng.integers(shape[-1], size=(*shape[:-1], 1))
    mask |= keys == first
    mask &= keys != (first + 1) % shape[-1]
    return given(mask)


def one_of(usual: Any, *others: Any) -> Any:
    """Return the usual value in a learner's run; in a graded run any of them, as its seed decides.

    This, `nudged` and `in_any_order` are for inputs that a claim does not draw: answers that a
    submission brings along from one run are of no use in the next one.
    """
    if not run_seed():
        return usual
    return (usual, *others)[current().rng.integers(1 + len(others))]


def nudged(values: Any, by: float) -> Any:
    """Return these values in a learner's run; in a graded run move them by at most so much."""
    array = np.asarray(values, dtype=np.float64)
    return array + current().rng.uniform(-by, by, array.shape) if run_seed() else array


def in_any_order(things: Sequence[Any]) -> list[Any]:
    """Return these in their order in a learner's run, and in another one in a graded run."""
    order = current().rng.permutation(len(things)) if run_seed() else range(len(things))
    return [things[place] for place in order]


def numpy(value: Any) -> "np.ndarray[Any, Any]":
    """Return any array, tensor or nested list as a NumPy array; floats become float64.

    A tensor on the device "meta" has a shape and no numbers: zeros stand for them.
    """
    if hasattr(value, "detach"):
        value = value.detach()
        value = value.new_zeros(value.shape, device="cpu") if value.is_meta else value.cpu()
        value = value.double().numpy() if value.is_floating_point() else value.numpy()
    array = np.asarray(value)
    return array.astype(np.float64, copy=False) if array.dtype.kind == "f" else array


def arrays(*values: Any) -> Sequence["np.ndarray[Any, Any]"]:
    """Return several values as NumPy arrays."""
    return [numpy(value) for value in values]
