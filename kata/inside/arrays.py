"""Arrays and tensors of which two processes have copies.

What a call has written into its arguments is noticed and copied back, and gradients go through both
processes: one holds the graph up to a call, the other one what the call computes. Used where a call
arrives (`session`, `peer`) and where it was made (`peer`, `kata.grading.remote`). Reads and sends
nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from kata.inside.wire import Arrays, is_array, is_dense, memory_of, span

Content = tuple[Any, ...]
Backward = Callable[[list[Any]], Sequence[Any]]  # from gradients of a result to those of its inputs


class Watched:
    """Arrays that the learner's code may write into."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays: Arrays = []
        self._before: list[Content] = []
        self.add(arrays)

    def add(self, arrays: Arrays) -> None:
        """Watch these as well."""
        self.arrays += arrays
        self._before += map(_content, arrays)

    def changed(self) -> list[list[Any]]:
        """Return positions and values of the arrays that have changed since the last call."""
        before, self._before = self._before, [_content(array) for array in self.arrays]
        pairs = enumerate(zip(self.arrays, before, self._before, strict=True))
        return [[place, array.detach() if hasattr(array, "detach") else array]
                for place, (array, then, now) in pairs if now != then]  # fmt: skip


def _content(array: Any) -> Content:
    """Copy what to compare with later; nothing for layouts that have no plain memory."""
    with suppress(Exception):
        if hasattr(array, "detach"):
            flat = array.detach().reshape(-1)
            return array.shape, b"" if flat.is_meta else memory_of(flat)
        return array.shape, b"" if array.dtype == object else array.tobytes()
    return ()


def sum_of(outputs: Sequence[Any], grads: Sequence[Any]) -> Any:
    """Return a number with these gradients for the outputs; None if there are none.

    To give torch the gradients themselves would import half its modules.
    """
    pairs = [pair for pair in zip(outputs, grads, strict=True) if pair[1] is not None]
    with torch.enable_grad():
        # A backward pass cannot begin at a view that was made without gradients.
        beginnings = [(out if out.grad_fn else out * 1) * grad for out, grad in pairs]
        return sum(beginning.sum() for beginning in beginnings) if pairs else None


def joined(result: Any, inputs: Sequence[Any], backward: Backward) -> Any:
    """Join a result of the other process to this one's graph.

    Args:
        result: what has come over the wire.
        inputs: the tensors here that it depends on.
        backward: asks the other process for their gradients.
    """
    ends = attached(result)
    if not ends:
        return result
    anchor = torch.empty(0, requires_grad=True)  # parameters over there get gradients, too
    bare = [end.detach() for end in ends]
    parts = _Joint.apply(backward, bare, anchor, *inputs)  # type: ignore[no-untyped-call]
    return swapped(result, dict(zip(map(id, ends), parts, strict=True)))


class _Joint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, backward: Backward, ends: Any, *_: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.gradients = backward
        return tuple(ends)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None, None, *ctx.gradients(list(grads))


def copied(tensor: torch.Tensor) -> torch.Tensor:
    """Copy a tensor, with its gaps, so that gradients flow back from the copy."""
    if is_dense(tensor):
        return tensor.clone()
    copy: torch.Tensor = _Copy.apply(tensor)  # type: ignore[no-untyped-call]
    return copy


class _Copy(torch.autograd.Function):
    """The same numbers in memory of their own, which lies alike."""

    @staticmethod
    def forward(ctx: Any, value: Any) -> Any:  # noqa: ARG004  # nothing is kept
        if 0 in value.stride():
            return value.view_as(value)
        copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        # What is in its gaps may go over the wire, too.
        copy.as_strided((span(copy.shape, copy.stride()),), (1,)).zero_()
        return copy.copy_(value)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # noqa: ARG004
        return grad


def swapped(value: Any, substitutes: Mapping[int, Any]) -> Any:
    """Return the same value with other arrays in place of these, by their ids."""
    if isinstance(value, (tuple, list)):
        return type(value)(swapped(part, substitutes) for part in value)
    if isinstance(value, dict):
        return {key: swapped(part, substitutes) for key, part in value.items()}
    return substitutes.get(id(value), value)


def arrays_in(value: Any) -> Arrays:
    """List the arrays of a result, without repetitions."""
    return list({id(leaf): leaf for leaf in _leaves(value) if is_array(leaf)}.values())


def attached(value: Any) -> Arrays:
    """List the tensors of a result that require gradients."""
    return [array for array in arrays_in(value) if getattr(array, "requires_grad", False)]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


# -- how a proof hands them over


def layout_of(value: Any) -> Any:
    """Describe how an array lies in memory if it has gaps or grew; else the array itself."""
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        return {"read-only": value}
    if not isinstance(value, torch.Tensor) or value.is_meta or value.layout is not torch.strided:
        return value
    tensor = value.detach()
    grows, leaf = value.requires_grad, value.is_leaf
    if not tensor.numel() or (leaf and is_dense(tensor)):
        return value
    flat = tensor.as_strided((span(tensor.shape, tensor.stride()),), (1,), tensor.storage_offset())
    return {"strided": (flat, list(tensor.shape), list(tensor.stride()), grows, leaf)}


def aligned(value: Any) -> Any:
    """Copy an array into memory as its library makes it; over the wire it begins anywhere.

    Results depend on where memory begins, in the last bit.
    """
    if not isinstance(value, torch.Tensor):
        return value.copy(order="K") if value.dtype != object else value
    if value.is_meta or not is_dense(value):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def write_back(array: Any, content: Any) -> None:
    """Copy the other process' changes into an array; one of another shape is left alone."""
    if isinstance(array, np.ndarray):
        with suppress(ValueError):  # of another shape
            array[...] = content
        return
    with torch.no_grad():
        if array.shape == content.shape:
            array.detach().copy_(content)
        else:
            array.data = content
