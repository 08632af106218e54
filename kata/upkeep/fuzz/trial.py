"""One call with random arguments: what an answer makes of it, beside what the reference makes."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from kata.judging.inputs import numpy
from kata.upkeep.fuzz.given import Given

# Relative to the largest number; a right answer may compute in float32 and cast back.
ROUNDING = {"float16": 4e-3, "float32": 2e-4}

ORDINARY = 20  # a tolerance up to which gradients are compared; otherwise they have to be finite


@dataclass(frozen=True)
class Trial:
    """A call that the contract allows.

    Args:
        name: what is called.
        call: takes the module of an answer and the arguments, and gives what is judged.
        given: the arguments.
        tolerance: a factor for what rounding may do, where numbers are extreme.
        keeps_dtype: whether the contract promises the dtype of the first argument.
        zeros: whether zeros of the reference have to be exact.
    """

    name: str
    call: Callable[..., Any]
    given: Sequence[Any]
    tolerance: float = 1.0
    keeps_dtype: bool = False
    zeros: bool = False

    def __str__(self) -> str:
        told = ", ".join(_told(value) for value in self.given)
        return f"{self.name}({told})"


def _told(value: Any) -> str:
    if not isinstance(value, Given):
        return repr(value)
    layout = "" if value.layout == "plain" else f" {value.layout}"
    return f"{value.values.dtype}{value.values.shape}{layout}"


@dataclass(frozen=True)
class Outcome:
    """What came back of one call, as NumPy arrays: results, gradients, arguments after it."""

    results: list[Any]
    dtypes: list[str]
    gradients: list[Any]
    changed: list[int]


def outcome(trial: Trial, module: ModuleType, library: str, *, exact: bool = False) -> Outcome:
    """Make the call; of the reference in float64, where rounding is no question."""
    given = [
        value.exact() if exact and isinstance(value, Given) else value for value in trial.given
    ]
    pairs = [_made(each, library) for each in given]
    made = [one for one, _ in pairs]
    with warnings.catch_warnings(action="ignore"):
        came = _flat(trial.call(module, *made))
        slopes = _gradients(came, [leaf for _, leaf in pairs]) if library == "torch" else []
    both = enumerate(zip(given, made, strict=True))
    changed = [at for at, (one, now) in both if isinstance(one, Given) and not _kept(one, now)]
    names = [str(getattr(value, "dtype", "")).removeprefix("torch.") for value in came]
    return Outcome([numpy(value) for value in came], names, slopes, changed)


def _made(value: Any, library: str) -> tuple[Any, Any]:
    """An argument, and what it is made from."""
    if not isinstance(value, Given):
        return value, None
    return value.tensors() if library == "torch" else (value.array(), None)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [each for part in value for each in _flat(part)]
    return [value]


def _kept(given: Given, made: Any) -> bool:
    own = made.detach().numpy() if hasattr(made, "detach") else made
    return own.shape == given.values.shape and np.array_equal(own, given.values, equal_nan=True)


def _gradients(came: list[Any], made_from: list[Any]) -> list[Any]:
    """Those of a weighted sum of all results, whose weights are neither alike nor small."""
    import torch

    leaves = [value for value in made_from if getattr(value, "requires_grad", False)]
    ways = [value for value in came if getattr(value, "requires_grad", False)]
    if not leaves or not ways:
        return []
    total = sum((way.double() * _steps(way)).sum() for way in ways)
    tensors = torch.autograd.grad(total, leaves, allow_unused=True)
    return [
        numpy(torch.zeros_like(x) if g is None else g) for g, x in zip(tensors, leaves, strict=True)
    ]


def _steps(result: Any) -> Any:
    import torch

    return torch.linspace(-50, 70, result.numel(), dtype=torch.float64).view(result.shape)


def differences(trial: Trial, mine: Outcome, right: Outcome) -> Iterator[str]:
    """What is wrong with an outcome."""
    if len(mine.results) != len(right.results):
        yield f"{len(mine.results)} results, expected {len(right.results)}"
        return
    dtype = next((str(value.values.dtype) for value in trial.given if isinstance(value, Given)), "")
    if trial.keeps_dtype and set(mine.dtypes) != {dtype}:
        yield f"dtype {', '.join(mine.dtypes)}, expected {dtype}"
    limit = trial.tolerance * ROUNDING.get(dtype, ROUNDING["float32"])
    for got, expected in zip(mine.results, right.results, strict=True):
        yield from _apart("values", got, expected, limit)
        if trial.zeros and got.shape == expected.shape and (got[expected == 0] != 0).any():
            yield "a zero that is not exact"
    ordinary = trial.tolerance <= ORDINARY and dtype != "float16"
    slack = 10 * limit if ordinary else np.inf
    for got, expected in zip(mine.gradients, right.gradients, strict=False):
        yield from _apart("gradients", got, expected, slack)
    yield from (f"argument {at} was changed" for at in mine.changed)


def _apart(what: str, got: Any, expected: Any, limit: float) -> Iterator[str]:
    if got.shape != expected.shape:
        yield f"{what} of shape {got.shape}, expected {expected.shape}"
    elif got.dtype.kind != "f" or expected.dtype.kind != "f":
        if not np.array_equal(got, expected):
            yield f"other {what}"
    elif not np.isfinite(got[np.isfinite(expected)]).all():
        yield f"{what} that are not finite"
    elif got.size:
        largest = max(1.0, float(np.abs(expected).max()))
        gap = float(np.nan_to_num(np.abs(got - expected)).max()) / largest
        if gap > limit:
            yield f"{what} that are {gap:.1g} of the largest one apart"
