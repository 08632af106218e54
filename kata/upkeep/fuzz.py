"""Gates about random inputs: right answers agree with the reference on what a contract allows."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any

import numpy as np

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.course.target import reference
from kata.judging.inputs import numpy
from kata.judging.judge import import_torch
from kata.upkeep.faces import DRAWS, accepted

FEW, MANY = 8, 150  # draws
# Relative to the largest number; a right answer may compute in float32 and cast back.
ROUNDING = {"float16": 4e-3, "float32": 2e-4}
ORDINARY = 20  # a tolerance up to which gradients are compared; otherwise they have to be finite
Shape = tuple[int, ...]
LARGEST = 6  # of a size; one size in three is 1
LAYOUTS = ("plain", "permuted", "strided", "expanded")
SHIFTS = (".beta", ".bias")


def right_answers_agree(exercise: Exercise) -> Iterator[str]:
    """Right answers agree with the reference on random inputs that the contract allows."""
    yield from disagreements(exercise, FEW)


def right_answers_agree_at_length(exercise: Exercise) -> Iterator[str]:
    """They do so on many random inputs."""
    yield from disagreements(exercise, MANY)


def disagreements(exercise: Exercise, draws: int) -> Iterator[str]:
    """Yield the first draw in which an answer is wrong, for all that are."""
    if not DRAWS.of(exercise).exists():
        return
    if exercise.library == "torch":
        import_torch()
    wrong: set[str] = set()
    for number in range(draws):
        for trial in _trials(exercise, number):
            for name, difference in _judged(exercise, trial, wrong):
                wrong.add(name)
                yield f"{name}: draw {number}: {trial}: {difference}"


def _trials(exercise: Exercise, number: int) -> Iterator["Trial"]:
    yield from _drawn_by(DRAWS.of(exercise))(Draw(exercise.slug, number))


@cache
def _drawn_by(path: Path) -> "Callable[[Draw], Iterator[Trial]]":
    trials: Callable[[Draw], Iterator[Trial]] = run_path(str(path))["trials"]
    return trials


def _judged(exercise: Exercise, trial: "Trial", wrong: set[str]) -> Iterator[tuple[str, str]]:
    """The answers that were right until now, with the first thing that is wrong."""
    answers = {name: module for name, module in _answers(exercise) if name not in wrong}
    right = outcome(trial, reference().module(exercise.slug), exercise.library, exact=True)
    for name, module in answers.items():
        if difference := _first_difference(exercise, trial, module, right):
            yield name, difference


def _first_difference(
    exercise: Exercise, trial: "Trial", module: ModuleType, right: "Outcome"
) -> str:
    try:
        mine = outcome(trial, module, exercise.library)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return next(differences(trial, mine, right), "")


@cache
def _answers(exercise: Exercise) -> list[tuple[str, ModuleType]]:
    """The solution and the right answers in other styles, loaded."""
    paths = [exercise.solution, *accepted(exercise)]
    texts = {f"{path.parent.name}/{path.name}": read(path).text for path in paths}
    return [(name, target_of(exercise, text).module(exercise.slug)) for name, text in texts.items()]


@dataclass(frozen=True)
class Trial:
    """A call that the contract allows.

    Args:
        name: of the function or class.
        call: takes the module of an answer and the arguments, and returns the result to judge.
        arguments: of the call.
        tolerance: a factor for what rounding may do, where numbers are extreme.
        keeps_dtype: whether the contract promises the dtype of the first argument.
        zeros: whether zeros of the reference have to be exact.
    """

    name: str
    call: Callable[..., Any]
    arguments: Sequence[Any]
    tolerance: float = 1.0
    keeps_dtype: bool = False
    zeros: bool = False

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(_spelled, self.arguments))})"


def _spelled(value: Any) -> str:
    if not isinstance(value, Argument):
        return repr(value)
    layout = "" if value.layout == "plain" else f" {value.layout}"
    return f"{value.values.dtype}{value.values.shape}{layout}"


@dataclass(frozen=True)
class Argument:
    """An array or tensor that a contract allows.

    Args:
        values: its numbers.
        layout: how they lie in memory.
        order: of the axes in memory, if they are permuted; the first one may be expanded.
        grad: whether its gradient is asked for.
    """

    values: "np.ndarray[Any, Any]"
    layout: str = "plain"
    order: tuple[int, ...] = ()
    grad: bool = False

    def array(self) -> "np.ndarray[Any, Any]":
        """Return a new array that holds the numbers."""
        if self.layout == "permuted":
            return self.values.transpose(self.order).copy().transpose(np.argsort(self.order))
        if self.layout == "strided":
            wide = np.zeros((*self.values.shape[:-1], 2 * self.values.shape[-1]), self.values.dtype)
            wide[..., 1::2] = self.values
            return wide[..., 1::2]
        if self.layout == "expanded":
            first = self.values.take([0], axis=self.order[0])
            strides = [0 if at == self.order[0] else s for at, s in enumerate(first.strides)]
            return np.lib.stride_tricks.as_strided(first, self.values.shape, strides)
        return self.values.copy()

    def tensors(self) -> tuple[Any, Any]:
        """Return a new tensor that holds the numbers, and the leaf that has its gradient."""
        import torch

        if self.layout != "expanded":
            leaf = torch.from_numpy(self.array()).requires_grad_(self.grad)
            return leaf, leaf
        leaf = torch.from_numpy(self.values.take([0], axis=self.order[0]))
        return leaf.requires_grad_(self.grad).expand(self.values.shape), leaf

    def exact(self) -> "Argument":
        """Return the same numbers in float64."""
        wide = self.values.astype(np.float64) if self.values.dtype.kind == "f" else self.values
        return replace(self, values=wide)


class Draw:
    """A source of random arguments: the same ones for the same seed.

    Args:
        name: of the exercise, which has arguments of its own.
        number: of the draw.
    """

    def __init__(self, name: str, number: int) -> None:
        self.rng = np.random.default_rng([number, *name.encode()])

    def size(self, largest: int = LARGEST) -> int:
        """Draw a size, often 1."""
        return 1 if self.rng.random() < 1 / 3 else int(self.rng.integers(1, largest + 1))

    def sizes(self, count: int) -> list[int]:
        """Draw several sizes, independent of one another: some will be equal."""
        return [self.size() for _ in range(count)]

    def leading(self, most: int = 3) -> Shape:
        """Draw leading dimensions, perhaps none."""
        return tuple(self.size(3) for _ in range(self.rng.integers(most + 1)))

    def one_of(self, *choices: Any) -> Any:
        """Draw one of these."""
        return choices[self.rng.integers(len(choices))]

    def normal(self, *shape: int, scale: float = 1.0, dtype: str = "float32") -> Argument:
        """Draw numbers from N(0, scale²), anywhere in memory."""
        numbers = np.asarray(scale * self.rng.standard_normal(shape))
        return self.argument(numbers.astype(dtype), grad=True)

    def argument(self, values: Any, *, grad: bool = False) -> Argument:
        """Put these values anywhere in memory; the first ones of an expanded axis fill it."""
        array = np.asarray(values)
        layout = self.one_of(*LAYOUTS) if array.ndim else "plain"
        order = tuple(int(value) for value in self.rng.permutation(array.ndim))
        if layout == "expanded":
            array = np.repeat(array.take([0], order[0]), array.shape[order[0]], axis=order[0])
        return Argument(array, layout, order, grad)

    def mask(self, shapes: Sequence[Shape], *, empty: bool = False) -> Argument:
        """Draw a boolean mask of one of these shapes; `empty` if rows may hide every key."""
        shape = self.one_of(*shapes)
        visible = self.rng.random(shape) < self.one_of(0.2, 0.6, 1.0)
        if not empty:
            visible |= ~visible.any(-1, keepdims=True) & (np.arange(shape[-1]) == shape[-1] // 2)
        mask = self.argument(visible)
        return mask if empty or mask.values.any(-1).all() else Argument(visible)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one call.

    Attributes:
        results: as NumPy arrays.
        dtypes: of the results.
        gradients: of the arguments that have one, as NumPy arrays.
        changed: the positions of the arguments that the call has changed.
    """

    results: list[Any]
    dtypes: list[str]
    gradients: list[Any]
    changed: list[int]


def outcome(trial: Trial, module: ModuleType, library: str, *, exact: bool = False) -> Outcome:
    """Make the call; of the reference in float64, where rounding is no question."""
    arguments = [
        value.exact() if exact and isinstance(value, Argument) else value
        for value in trial.arguments
    ]
    pairs = [_value_and_leaf(argument, library) for argument in arguments]
    values = [value for value, _ in pairs]
    with warnings.catch_warnings(action="ignore"):
        results = _flat(trial.call(module, *values))
        slopes = _gradients(results, [leaf for _, leaf in pairs]) if library == "torch" else []
    changed = [
        at
        for at, (argument, value) in enumerate(zip(arguments, values, strict=True))
        if isinstance(argument, Argument) and not _is_unchanged(argument, value)
    ]
    dtypes = [str(getattr(result, "dtype", "")).removeprefix("torch.") for result in results]
    return Outcome([numpy(result) for result in results], dtypes, slopes, changed)


def _value_and_leaf(argument: Any, library: str) -> tuple[Any, Any]:
    if not isinstance(argument, Argument):
        return argument, None
    return argument.tensors() if library == "torch" else (argument.array(), None)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [item for part in value for item in _flat(part)]
    return [value]


def _is_unchanged(argument: Argument, value: Any) -> bool:
    now = value.detach().numpy() if hasattr(value, "detach") else value
    before = argument.values
    return now.shape == before.shape and np.array_equal(now, before, equal_nan=True)


def _gradients(results: list[Any], leaves: list[Any]) -> list[Any]:
    """The gradients of a weighted sum of all results; its weights are neither alike nor small."""
    import torch

    leaves = [leaf for leaf in leaves if getattr(leaf, "requires_grad", False)]
    results = [result for result in results if getattr(result, "requires_grad", False)]
    if not leaves or not results:
        return []
    total = sum((result.double() * _weights(result)).sum() for result in results)
    tensors = torch.autograd.grad(total, leaves, allow_unused=True)
    return [
        numpy(torch.zeros_like(x) if g is None else g) for g, x in zip(tensors, leaves, strict=True)
    ]


def _weights(result: Any) -> Any:
    import torch

    return torch.linspace(-50, 70, result.numel(), dtype=torch.float64).view(result.shape)


def differences(trial: Trial, mine: Outcome, right: Outcome) -> Iterator[str]:
    """Yield a sentence for everything that is wrong with an outcome."""
    if len(mine.results) != len(right.results):
        yield f"{len(mine.results)} results, expected {len(right.results)}"
        return
    dtypes = (str(value.values.dtype) for value in trial.arguments if isinstance(value, Argument))
    dtype = next(dtypes, "")
    if trial.keeps_dtype and set(mine.dtypes) != {dtype}:
        yield f"dtype {', '.join(mine.dtypes)}, expected {dtype}"
    limit = trial.tolerance * ROUNDING.get(dtype, ROUNDING["float32"])
    for actual, expected in zip(mine.results, right.results, strict=True):
        yield from _apart("values", actual, expected, limit)
        if trial.zeros and actual.shape == expected.shape and (actual[expected == 0] != 0).any():
            yield "a zero that is not exact"
    ordinary = trial.tolerance <= ORDINARY and dtype != "float16"
    slack = 10 * limit if ordinary else np.inf
    for actual, expected in zip(mine.gradients, right.gradients, strict=False):
        yield from _apart("gradients", actual, expected, slack)
    yield from (f"argument {at} was changed" for at in mine.changed)


def _apart(what: str, actual: Any, expected: Any, limit: float) -> Iterator[str]:
    if actual.shape != expected.shape:
        yield f"{what} of shape {actual.shape}, expected {expected.shape}"
    elif actual.dtype.kind != "f" or expected.dtype.kind != "f":
        if not np.array_equal(actual, expected):
            yield f"other {what}"
    elif not np.isfinite(actual[np.isfinite(expected)]).all():
        yield f"{what} that are not finite"
    elif actual.size:
        largest = max(1.0, float(np.abs(expected).max()))
        gap = float(np.nan_to_num(np.abs(actual - expected)).max()) / largest
        if gap > limit:
            yield f"{what} that are {gap:.1g} of the largest one apart"


# -- for the modules that draw arguments


def broadcastable(shape: Shape) -> list[Shape]:
    """Return every shape of one dimension or more that broadcasts to this one."""
    ends = (shape[-count:] for count in range(1, len(shape) + 1))
    shapes = (smaller for end in ends for smaller in product(*((size, 1) for size in end)))
    return list(dict.fromkeys(shapes))


def head_masks(samples: int, heads: int, queries: int, keys: int) -> list[Shape]:
    """Return the shapes of masks for many heads: with three dimensions, the first is samples."""
    four = broadcastable((samples, heads, queries, keys))
    three = broadcastable((samples, queries, keys))
    return [shape for shape in four if len(shape) in {2, 4}] + [s for s in three if len(s) == 3]


def numbers(draw: Draw, shapes: Mapping[str, Sequence[int]], dtype: str) -> list[Argument]:
    """Draw parameters of these shapes, of a size that keeps features in bounds."""
    return [
        Argument((draw.rng.standard_normal(shape) * shape[-1] ** -0.5).astype(dtype))
        for shape in shapes.values()
    ]


def linears(sizes: Mapping[str, tuple[int, int]], *, bias: bool) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the parameters of nn.Linear layers: (out, in) by name."""
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": size for name, size in sizes.items()}
    if bias:
        shapes |= {f"{name}.bias": size[:1] for name, size in sizes.items()}
    return shapes


def loaded(module: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Load these numbers into a module, in their dtype."""
    import torch

    own = dict(module.to(values[0].dtype).named_parameters(remove_duplicate=False))
    with torch.no_grad():
        for name, value in zip(names, values, strict=True):
            own[_own_name(name, own)].copy_(value)
    return module


def _own_name(name: str, own: Mapping[str, Any]) -> str:
    if name in own:
        return name
    # A norm may be nn.LayerNorm or another class: its scale comes first, and then its shift.
    part, _, kind = name.rpartition(".")
    inside = [text for text in own if text.startswith(f"{part}.")]
    inside.sort(key=lambda text: text.endswith(SHIFTS))
    return inside[0] if kind == "gamma" else inside[-1]
