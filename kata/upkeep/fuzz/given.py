"""Random arguments within a contract: numbers, masks, and how they lie in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

Shape = tuple[int, ...]
LARGEST = 6  # of a size; one size in three is 1
LAYOUTS = ("plain", "permuted", "strided", "expanded")


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
