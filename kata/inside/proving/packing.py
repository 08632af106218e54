"""Converts the arguments and results of a call to what `wire` can carry, and back.

Only `peer` uses it. What a test may not hand over raises UnavailableError here, before anything is
sent; what arrives is checked, and never executed.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from kata.inside import wire
from kata.inside.arrays import copied
from kata.inside.conditions import not_handed_over
from kata.inside.proving.mirror import FunctionModule, Mirror

PLAIN = (bool, int, float, str, np.generic, type(None))


@dataclass
class Packed:
    """The arrays and modules of one call, in the same order in both processes.

    Args:
        mirror: the modules that both processes have.
        into: what is to become the module that is unpacked.
        given: the arrays of the call of which this is the result: it may be one of them.
    """

    mirror: Mirror
    into: torch.nn.Module | None = None
    given: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)  # as the code that is called has them
    leaves: list[Any] = field(default_factory=list)  # that get gradients
    modules: list[torch.nn.Module] = field(default_factory=list)
    _arrays_by_id: dict[int, Any] = field(default_factory=dict)

    def pack(self, value: Any) -> Any:
        """Raises UnavailableError for what cannot be handed over."""
        if isinstance(value, (list, tuple)):
            parts = [self.pack(part) for part in value]
            return tuple(parts) if isinstance(value, tuple) else parts
        if isinstance(value, (np.ndarray, torch.Tensor)):
            return self._packed_array(value)
        if isinstance(value, torch.nn.Module):
            self.modules.append(value)
            return {"module": self.mirror.describe(value)}
        if callable(value):
            self.modules.append(self.mirror.as_module(value))
            return {"function": self.mirror.describe(self.modules[-1])}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, SimpleNamespace):
            return {"names": {name: self.pack(part) for name, part in vars(value).items()}}
        if isinstance(value, PLAIN):
            return value
        raise not_handed_over(value)

    def _packed_array(self, value: Any) -> Any:
        place = next((place for place, given in enumerate(self.given) if given is value), None)
        if place is not None and not getattr(value, "requires_grad", False):
            return {"given": place}
        if id(value) not in self._arrays_by_id:
            self._arrays_by_id[id(value)] = _as_data(value)
            self._note(value, value)
        return self._arrays_by_id[id(value)]

    def unpack(self, data: Any) -> Any:
        """The same value here; whatever the data is, nothing of it is executed."""
        if isinstance(data, (list, tuple)):
            parts = [self.unpack(part) for part in data]
            return tuple(parts) if isinstance(data, tuple) else parts
        if isinstance(data, (np.ndarray, torch.Tensor)):
            return self._unpacked_array(data, data)
        if isinstance(data, dict):
            ((tag, inside),) = data.items()
            return self._untagged(tag, inside)
        if isinstance(data, PLAIN):
            return data
        raise wire.WireError(type(data).__name__)

    def _untagged(self, tag: str, inside: Any) -> Any:
        if tag in {"module", "function"}:
            module = self.mirror.build(inside, self.into)
            self.modules.append(module)
            return module if tag == "module" else _function_of(module)
        if tag == "read-only":
            return self._unpacked_array(inside, inside, frozen=True)
        if tag == "given":
            return self.given[inside]
        if tag == "dtype":
            dtype = getattr(torch, str(inside), None)
            if not isinstance(dtype, torch.dtype):
                raise wire.WireError(f"dtype {inside}")
            return dtype
        if tag == "names":
            return SimpleNamespace(**{name: self.unpack(part) for name, part in inside.items()})
        flat, shape, steps, grows, leaf = inside
        # The copy is aligned as all of PyTorch's memory is, so that it is computed with in one
        # order.
        tensor = flat.clone().as_strided(shape, steps)
        tensor = tensor.requires_grad_() if grows else tensor
        return self._unpacked_array(flat, tensor, leaf=leaf)

    def _unpacked_array(
        self, key: Any, value: Any, *, leaf: bool = True, frozen: bool = False
    ) -> Any:
        if id(key) not in self._arrays_by_id:
            used = start = _aligned(value)
            if frozen:
                used.setflags(write=False)
            if not leaf and getattr(used, "requires_grad", False):
                with torch.enable_grad():  # what grew out of something may be written into
                    used = copied(start)
            self._arrays_by_id[id(key)] = used
            self._note(used, start)
        return self._arrays_by_id[id(key)]

    def _note(self, used: Any, start: Any) -> None:
        self.arrays.append(used)
        if getattr(start, "requires_grad", False):
            self.leaves.append(start)


def _as_data(value: Any) -> Any:
    """The array itself, or how it lies in memory if it has gaps or grew out of another one."""
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        return {"read-only": value}
    if not isinstance(value, torch.Tensor) or value.is_meta or value.layout is not torch.strided:
        return value
    tensor = value.detach()
    grows, leaf = value.requires_grad, value.is_leaf
    if not tensor.numel() or (leaf and wire.is_dense(tensor)):
        return value
    flat = tensor.as_strided(
        (wire.span(tensor.shape, tensor.stride()),), (1,), tensor.storage_offset()
    )
    return {"strided": (flat, list(tensor.shape), list(tensor.stride()), grows, leaf)}


def _aligned(value: Any) -> Any:
    """With memory as its library makes it: results depend on where memory begins, in the last bit.

    What came over the wire begins anywhere.
    """
    if not isinstance(value, torch.Tensor):
        return value.copy(order="K") if value.dtype != object else value
    if value.is_meta or not wire.is_dense(value):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def _function_of(module: torch.nn.Module) -> Callable[..., Any]:
    """The function that this module stands for, here or on the other side."""
    if isinstance(module, FunctionModule):
        function: Callable[..., Any] = module.function
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        return module(*args, **kwargs)

    return call


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
