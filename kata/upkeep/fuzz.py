"""Right answers on random inputs: what a contract promises, drawn anew, against the reference."""

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
from kata.course.curriculum import ROOT, Exercise
from kata.course.source import read
from kata.course.target import reference
from kata.judging.inputs import numpy
from kata.judging.judge import import_torch
from kata.upkeep.faces import accepted

FUZZ = ROOT / "tests" / "fuzz"
FEW, MANY = 8, 150  # draws
# Relative to the largest number; a right answer may compute in float32 and cast back.
ROUNDING = {"float16": 4e-3, "float32": 2e-4}
ORDINARY = 20  # a tolerance up to which gradients are compared; otherwise they have to be finite
Shape = tuple[int, ...]
LARGEST = 6  # of a size; one size in three is 1
LAYOUTS = ("plain", "permuted", "strided", "expanded")
SHIFTS = (".beta", ".bias")


def fuzz_file(exercise: Exercise) -> Path:
    """The module that draws its arguments; an exercise may have none."""
    return FUZZ / exercise.filename


def right_answers_agree(exercise: Exercise) -> Iterator[str]:
    """Right answers agree with the reference on random inputs that the contract allows."""
    yield from disagreements(exercise, FEW)


def right_answers_agree_at_length(exercise: Exercise) -> Iterator[str]:
    """They do so on many random inputs."""
    yield from disagreements(exercise, MANY)


def disagreements(exercise: Exercise, draws: int) -> Iterator[str]:
    """The first draw in which an answer is wrong, for each that is."""
    if not fuzz_file(exercise).exists():
        return
    if exercise.library == "torch":
        import_torch()
    wrong: set[str] = set()
    for number in range(draws):
        for trial in _trials(exercise, number):
            for name, found in _judged(exercise, trial, wrong):
                wrong.add(name)
                yield f"{name}: draw {number}: {trial}: {found}"


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


def _judged(exercise: Exercise, trial: Trial, wrong: set[str]) -> Iterator[tuple[str, str]]:
    """The first thing that is wrong with each answer that was right until now."""
    answers = {name: module for name, module in _answers(exercise) if name not in wrong}
    right = outcome(trial, reference().module(exercise.slug), exercise.library, exact=True)
    for name, module in answers.items():
        first = _first(exercise, trial, module, right)
        if first:
            yield name, first


def _first(exercise: Exercise, trial: Trial, module: ModuleType, right: Any) -> str:
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


def _trials(exercise: Exercise, number: int) -> Iterator[Trial]:
    yield from _drawn_by(fuzz_file(exercise))(Draw(exercise.slug, number))


@dataclass(frozen=True)
class Given:
    """One argument as a contract allows it.

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
        """A new array that holds them."""
        if self.layout == "permuted":
            return self.values.transpose(self.order).copy().transpose(np.argsort(self.order))
        if self.layout == "strided":
            wide = np.zeros((*self.values.shape[:-1], 2 * self.values.shape[-1]), self.values.dtype)
            wide[..., 1::2] = self.values
            return wide[..., 1::2]
        if self.layout == "expanded":
            one = self.values.take([0], axis=self.order[0])
            strides = [0 if at == self.order[0] else s for at, s in enumerate(one.strides)]
            return np.lib.stride_tricks.as_strided(one, self.values.shape, strides)
        return self.values.copy()

    def tensors(self) -> tuple[Any, Any]:
        """A new tensor that holds them, and what it is made from: its gradient is asked for."""
        import torch

        if self.layout != "expanded":
            leaf = torch.from_numpy(self.array()).requires_grad_(self.grad)
            return leaf, leaf
        one = torch.from_numpy(self.values.take([0], axis=self.order[0]))
        return one.requires_grad_(self.grad).expand(self.values.shape), one

    def exact(self) -> "Given":
        """The same numbers in float64."""
        wide = self.values.astype(np.float64) if self.values.dtype.kind == "f" else self.values
        return replace(self, values=wide)


class Draw:
    """Where random arguments come from: the same ones for the same seed.

    Args:
        name: of the exercise, so that each has arguments of its own.
        number: of the draw.
    """

    def __init__(self, name: str, number: int) -> None:
        self.rng = np.random.default_rng([number, *name.encode()])

    def size(self, largest: int = LARGEST) -> int:
        """A size, often 1."""
        return 1 if self.rng.random() < 1 / 3 else int(self.rng.integers(1, largest + 1))

    def sizes(self, count: int) -> list[int]:
        """Several, independent of one another: some will be equal."""
        return [self.size() for _ in range(count)]

    def leading(self, most: int = 3) -> Shape:
        """Leading dimensions, none included."""
        return tuple(self.size(3) for _ in range(self.rng.integers(most + 1)))

    def one_of(self, *choices: Any) -> Any:
        """One of these."""
        return choices[self.rng.integers(len(choices))]

    def normal(self, *shape: int, scale: float = 1.0, dtype: str = "float32") -> Given:
        """Numbers from N(0, scale²), anywhere in memory."""
        numbers = np.asarray(scale * self.rng.standard_normal(shape))
        return self.given(numbers.astype(dtype), grad=True)

    def given(self, values: Any, *, grad: bool = False) -> Given:
        """These values, anywhere in memory; where an axis is expanded, its first ones fill it."""
        array = np.asarray(values)
        layout = self.one_of(*LAYOUTS) if array.ndim else "plain"
        order = tuple(int(value) for value in self.rng.permutation(array.ndim))
        if layout == "expanded":
            array = np.repeat(array.take([0], order[0]), array.shape[order[0]], axis=order[0])
        return Given(array, layout, order, grad)

    def mask(self, shapes: Sequence[Shape], *, empty: bool = False) -> Given:
        """A boolean mask of one of these shapes; `empty` if rows may hide every key."""
        shape = self.one_of(*shapes)
        seen = self.rng.random(shape) < self.one_of(0.2, 0.6, 1.0)
        if not empty:
            seen |= ~seen.any(-1, keepdims=True) & (np.arange(shape[-1]) == shape[-1] // 2)
        given = self.given(seen)
        return given if empty or given.values.any(-1).all() else Given(seen)


@cache
def _drawn_by(path: Path) -> Callable[[Draw], Iterator[Trial]]:
    trials: Callable[[Draw], Iterator[Trial]] = run_path(str(path))["trials"]
    return trials


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


def broadcastable(shape: Shape) -> list[Shape]:
    """Every shape of one dimension or more that broadcasts to this one."""
    ends = (shape[-count:] for count in range(1, len(shape) + 1))
    found = (each for end in ends for each in product(*((size, 1) for size in end)))
    return list(dict.fromkeys(found))


def head_masks(samples: int, heads: int, queries: int, keys: int) -> list[Shape]:
    """The shapes of masks for many heads: with three dimensions, each is that of a sample."""
    four = broadcastable((samples, heads, queries, keys))
    three = broadcastable((samples, queries, keys))
    return [each for each in four if len(each) in {2, 4}] + [e for e in three if len(e) == 3]


def numbers(draw: Draw, shapes: Mapping[str, Sequence[int]], dtype: str) -> list[Given]:
    """Random numbers for parameters of these shapes, of a size that keeps features in bounds."""
    return [
        Given((draw.rng.standard_normal(shape) * shape[-1] ** -0.5).astype(dtype))
        for shape in shapes.values()
    ]


def linears(sizes: Mapping[str, tuple[int, int]], *, bias: bool) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters of nn.Linear layers: (out, in) by name."""
    found: dict[str, tuple[int, ...]] = {f"{name}.weight": size for name, size in sizes.items()}
    if bias:
        found |= {f"{name}.bias": size[:1] for name, size in sizes.items()}
    return found


def loaded(module: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    """The module with these numbers, in their dtype."""
    import torch

    own = dict(module.to(values[0].dtype).named_parameters(remove_duplicate=False))
    with torch.no_grad():
        for name, value in zip(names, values, strict=True):
            own[_own_name(name, own)].copy_(value)
    return module


def _own_name(name: str, own: Mapping[str, Any]) -> str:
    """A norm may be nn.LayerNorm or another class: its scale comes first, and then its shift."""
    if name in own:
        return name
    part, _, kind = name.rpartition(".")
    inside = sorted((text for text in own if text.startswith(f"{part}.")), key=_is_shift)
    return inside[0] if kind == "gamma" else inside[-1]


def _is_shift(name: str) -> bool:
    return name.endswith(SHIFTS)
