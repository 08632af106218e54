"""The learner's objects, in the process that made them, and all that a judge may ask about them.

Only plain values go in and out: numbers, texts, arrays, tensors, and references to modules, which
stay. So it makes no difference whether this is the judge's own process (`judging.attempt`) or a
worker, where `session` asks for the judge.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class Opaque:
    """A value that cannot be sent; only the name of its type is."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


@dataclass(frozen=True)
class ModuleRef:
    """Refers to a module that stays where it was made.

    `instead_of_forward` names what its class has, if that is no forward; `shapes` are those of its
    parameters when the reference was made.
    """

    number: int
    kind: str
    instead_of_forward: tuple[str, ...] | None = None
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)


class Objects:
    """The definitions of one file, and the modules that its functions have made.

    Args:
        names: what the file defines.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self._modules: list[Any] = []

    def forget(self) -> None:
        """Drop all modules."""
        self._modules.clear()

    def names(self) -> dict[str, bool]:
        """Return all names of the file, and whether their values are callable."""
        return {name: callable(value) for name, value in self._names.items()}

    def call(self, what: str | int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a function by its name, or a module by its number."""
        function = self._names[what] if isinstance(what, str) else self._modules[what]
        named = {name: self._inside(value) for name, value in kwargs.items()}
        return self._outside(function(*map(self._inside, args), **named))

    def probe(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ModuleRef:
        """Make a module of the suite's own."""
        from kata.inside.probes import PROBES  # which imports torch

        return self._held(PROBES[name](*args, **kwargs))

    def train(self, number: int, mode: bool) -> None:
        """Switch a module between training and evaluation."""
        self._modules[number].train(mode=mode)

    def training(self, number: int) -> bool:
        """Return whether a module is in training mode."""
        return self.modes()[number]

    def modes(self) -> list[bool]:
        """Return the modes of all modules: whether they are in training."""
        return [bool(module.training) for module in self._modules]

    def to(self, number: int, where: str) -> None:
        """Move a module to the device or the dtype of this name."""
        import torch

        dtype = getattr(torch, where, None)
        self._modules[number].to(dtype if isinstance(dtype, torch.dtype) else where)

    def parameters(self, number: int) -> dict[str, Any]:
        """Copy all parameters, by name; one that has two names is listed under both."""
        parameters = self._parameters(number).items()
        return {name: parameter.detach().clone() for name, parameter in parameters}

    def shared(self, number: int) -> list[list[str]]:
        """Group the names that stand for one and the same parameter."""
        owners: dict[int, list[str]] = {}
        for name, parameter in self._parameters(number).items():
            owners.setdefault(id(parameter), []).append(name)
        return [names for names in owners.values() if len(names) > 1]

    def buffers(self, number: int) -> list[str]:
        """Return all names of all buffers."""
        buffers = self._modules[number].named_buffers(remove_duplicate=False)
        return [name for name, _ in buffers]

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of all parameters, by name."""
        parameters = self._parameters(number).items()
        return {name: tuple(parameter.shape) for name, parameter in parameters}

    def load(self, number: int, weights: Mapping[str, Any]) -> None:
        """Put numbers into parameters of these names and shapes."""
        own = self._parameters(number)
        _fill((own[name], numbers) for name, numbers in weights.items())

    def load_in_places(self, number: int, weights: Sequence[tuple[int, Any]]) -> None:
        """Put numbers into parameters, by their places among all names in order."""
        own = sorted(self._parameters(number).items())
        _fill((own[place][1], numbers) for place, numbers in weights)

    def gradients(self, number: int) -> dict[str, Any]:
        """Return the gradient of each parameter, None where there is none."""
        return {
            name: None if parameter.grad is None else parameter.grad.detach().clone()
            for name, parameter in self._parameters(number).items()
        }

    def attribute(self, number: int, name: str) -> Any:
        """Return an attribute if it is a plain value, otherwise its type."""
        return self._outside(getattr(self._modules[number], name, None))

    def children(self, number: int) -> list[str]:
        """Return the names of the modules inside."""
        return [name for name, _ in self._modules[number].named_children()]

    def _parameters(self, number: int) -> dict[str, Any]:
        return dict(self._modules[number].named_parameters(remove_duplicate=False))

    def _inside(self, value: Any) -> Any:
        if not isinstance(value, ModuleRef):
            return value
        module = self._modules[value.number]
        return getattr(module, "plain_function", None) or module  # a probe that is to look so

    def _outside(self, value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            parts = [self._outside(part) for part in value]
            return tuple(parts) if isinstance(value, tuple) else parts
        torch = sys.modules.get("torch")  # without importing it for this
        if torch is None or not isinstance(value, (torch.nn.Module, torch.Tensor)):
            return _plain(value)
        if isinstance(value, torch.nn.Module):
            return self._held(value)
        return value if type(value) is torch.Tensor else value.as_subclass(torch.Tensor)

    def _held(self, module: Any) -> ModuleRef:
        """Return a reference to a module, with the same number every time."""
        numbers = (number for number, held in enumerate(self._modules) if held is module)
        number = next(numbers, len(self._modules))
        if number == len(self._modules):
            self._modules.append(module)
        kind = type(module)
        return ModuleRef(number, kind.__name__, _instead_of_forward(kind), self.shapes(number))


def _fill(parameters: Iterable[tuple[Any, Any]]) -> None:
    import torch

    with torch.no_grad():
        for parameter, numbers in parameters:
            parameter.copy_(numbers)


def _plain(value: Any) -> Any:
    """Return the value itself if it is plain, otherwise its type."""
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return value
    return Opaque(type(value).__name__)


def _instead_of_forward(kind: Any) -> tuple[str, ...] | None:
    import torch  # already loaded, since there is a module

    if getattr(kind, "forward", None) is not torch.nn.Module.forward:
        return None
    return tuple(name for name in vars(kind) if not name.startswith("__"))
