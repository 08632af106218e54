"""What a suite can ask of the work under test, and no more.

A suite never touches the learner's objects: it calls functions by name, gets arrays, tensors and
numbers back, and holds modules as handles. The same surface can be served by another process.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from kata.attempt import Attempt, MissingError
from kata.case import Case, Event
from kata.source import contract, misspelled
from kata.words import say


class Opaque:
    """A value that a suite cannot look into; only the name of its type crosses."""

    def __init__(self, value: object) -> None:
        self.kind = type(value).__name__


class Submission:
    """The facade of one claim: `submission.softmax(x)`, `submission.EncoderLayer(18, 3, 9)`."""

    def __init__(self, attempt: Attempt, case: Case) -> None:
        self._attempt = attempt
        self._case = case

    def __getattr__(self, name: str) -> Callable[..., Any]:
        module = self._attempt.load()
        function = getattr(module, name, None)
        if not callable(function):
            raise MissingError(self._missing(name, module))
        return lambda *args, **kwargs: self.call(name, name, function, args, kwargs)

    def probe(self, name: str, *args: Any, **kwargs: Any) -> "ModuleHandle":
        """A module of the suite's own, to be handed to the learner's function."""
        from kata.probes import PROBES  # with it comes torch

        arguments = ", ".join(map(str, args))
        module = PROBES[name](*args, **kwargs)
        return ModuleHandle(self, module, f"{name}({arguments})", name, Luck(module, drops=False))

    def _missing(self, name: str, module: ModuleType) -> str:
        exercise = self._attempt.exercise
        own = [each for each in vars(module) if each not in contract(exercise).names]
        close = misspelled(name, own)
        return say("submission.no-name", file=exercise.filename, name=name, close=close)

    def call(
        self,
        label: str,
        name: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        *,
        luck: str = "",
    ) -> Any:
        """Call the learner's code with copies, and record what was given and what came of it."""
        given, named = _copy((args, dict(kwargs)), {})
        known = contract(self._attempt.exercise).functions
        names = known.get(name) or known.get(f"{name}.__init__", ())
        names = (*names[: len(args)], *kwargs)
        event = Event(label, names, (*args, *kwargs.values()), (*given, *named.values()), luck=luck)
        self._case.events.append(event)
        try:
            with self._attempt.guarded(name):
                result = function(*map(_inside, given), **{k: _inside(v) for k, v in named.items()})
            event.outcome = self._wrap(result, event, name)
        except Exception as error:
            event.outcome = error
            raise
        return event.outcome

    def _wrap(self, result: Any, event: Event, name: str) -> Any:
        if isinstance(result, (tuple, list)):
            wrapped = [self._wrap(each, event, name) for each in result]
            return tuple(wrapped) if isinstance(result, tuple) else wrapped
        if _is_module(result):
            arguments = ", ".join(_constructor_arguments(event))
            label = f"{event.label}({arguments})"
            luck = Luck(result, _drops(event), _has_own_numbers(event))
            return ModuleHandle(self, result, label, name, luck)
        return _plain(result)

    def see(self, label: str, value: Any, luck: str = "") -> Any:
        """Record a structure that the suite asked for."""
        self._case.events.append(Event(label, outcome=value, luck=luck))
        return value

    def guarded(self, name: str) -> Any:
        """The attempt's guard, for handles."""
        return self._attempt.guarded(name)


@dataclass
class Luck:
    """What the numbers of a module depend on, beside its inputs.

    Args:
        module: as it was made.
        drops: whether it was made with a dropout that is neither nothing nor everything.
        born: whether it still has parameters that the suite did not choose.
    """

    module: Any
    drops: bool
    born: bool = True

    def __str__(self) -> str:
        """The name of it, or nothing."""
        return "birth" if self.born else "dropout" if self.drops else ""


class ModuleHandle:
    """A learner's nn.Module, held from outside."""

    def __init__(
        self, submission: Submission, module: Any, label: str, name: str, luck: Luck
    ) -> None:
        self._submission = submission
        self._module = module
        self._label = label
        self._name = name
        self._luck = luck

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One forward pass."""
        self._check_forward()
        name = f"{self._name}.forward"
        mode = "" if self._module.training else ".eval()"
        label = f"{self._label}{mode}"
        return self._submission.call(label, name, self._module, args, kwargs, luck=str(self._luck))

    def _check_forward(self) -> None:
        import torch  # there is a module, so torch is loaded

        kind = type(self._module)
        if getattr(kind, "forward", None) is torch.nn.Module.forward:
            own = [name for name in vars(kind) if not name.startswith("__")]
            close = misspelled("forward", own)
            raise MissingError(say("submission.no-forward", kind=kind.__name__, close=close))

    def train(self) -> "ModuleHandle":
        """Switch to training mode."""
        with self._submission.guarded(f"{self._name}.train"):
            self._module.train()
        return self

    def eval(self) -> "ModuleHandle":
        """Switch to evaluation mode, as the model around it does: that never calls eval()."""
        with self._submission.guarded(f"{self._name}.train"):
            self._module.train(mode=False)
        return self

    def to(self, where: str) -> "ModuleHandle":
        """Move to a device or a dtype, given by name."""
        import torch

        dtype = getattr(torch, where, None)
        with self._submission.guarded(f"{self._name}.to"):
            self._module.to(dtype if isinstance(dtype, torch.dtype) else where)
        return self

    def parameters(self) -> dict[str, Any]:
        """Copies of all parameters, by name; one that has two names is listed twice."""
        found = self._named_parameters()
        copies = {name: each.detach().clone() for name, each in found.items()}
        return self._see("parameters()", copies)  # type: ignore[no-any-return]

    def shared(self) -> list[list[str]]:
        """Names that stand for one and the same parameter."""
        owners: dict[int, list[str]] = {}
        for name, each in self._named_parameters().items():
            owners.setdefault(id(each), []).append(name)
        return self._see("shared()", [names for names in owners.values() if len(names) > 1])  # type: ignore[no-any-return]

    def buffers(self) -> list[str]:
        """The names of all buffers."""
        return self._see("buffers()", [name for name, _ in self._module.named_buffers()])  # type: ignore[no-any-return]

    def load(self, weights: Mapping[str, Any]) -> "ModuleHandle":
        """Put the suite's numbers into the learner's parameters."""
        import torch

        own = self._named_parameters()
        for name, each in weights.items():
            _check_parameter(self._label, name, each, own)
        with torch.no_grad():
            for name, each in weights.items():
                own[name].copy_(each)
        if self._module is self._luck.module and own.keys() <= weights.keys():
            self._luck.born = False
        return self

    def gradients(self) -> dict[str, Any]:
        """The gradient of each parameter, None where there is none."""
        found = {
            name: None if each.grad is None else each.grad.detach().clone()
            for name, each in self._named_parameters().items()
        }
        return self._see("gradients()", found)  # type: ignore[no-any-return]

    def number(self, name: str) -> int:
        """An attribute that is an int."""
        value = getattr(self._module, name, None)
        if not isinstance(value, int):
            key = "submission.no-attribute" if value is None else "submission.no-int"
            kind = type(value).__name__
            raise MissingError(say(key, module=self._label, name=name, kind=kind))
        return self._see(f"number({name})", value)  # type: ignore[no-any-return]

    def part(self, name: str) -> "ModuleHandle":
        """A module inside, by its name."""
        part = getattr(self._module, name, None)
        if not _is_module(part):
            own = [each for each, _ in self._module.named_children()]
            close = misspelled(name, own)
            text = say("submission.no-part", module=self._label, name=name, close=close)
            raise MissingError(text)
        label, inner = f"{self._label}.{name}", f"{self._name}.{name}"
        return ModuleHandle(self._submission, part, label, inner, self._luck)

    def _named_parameters(self) -> dict[str, Any]:
        return dict(self._module.named_parameters(remove_duplicate=False))

    def _see(self, what: str, value: Any) -> Any:
        return self._submission.see(f"{self._label}.{what}", value, str(self._luck))


def _copy(value: Any, known: dict[int, Any]) -> Any:
    """What the learner gets: copies, connected to the originals for gradients.

    One array given twice, as in self-attention, is one array on the other side too.
    """
    if isinstance(value, (tuple, list)):
        return type(value)(_copy(each, known) for each in value)
    if isinstance(value, dict):
        return {key: _copy(each, known) for key, each in value.items()}
    if id(value) not in known:
        known[id(value)] = _copy_array(value)
    return known[id(value)]


def _copy_array(value: Any) -> Any:
    if hasattr(value, "requires_grad"):
        return value.clone()
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def _inside(value: Any) -> Any:
    return value._module if isinstance(value, ModuleHandle) else value  # its own class


def _plain(value: Any) -> Any:
    """Nothing but plain values leaves the learner's code."""
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return value
    if _is_tensor(value):
        import torch

        return value if type(value) is torch.Tensor else value.as_subclass(torch.Tensor)
    return Opaque(value)


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _drops(event: Event) -> bool:
    """Whether a constructor was asked for dropout that leaves something to chance."""
    given = zip(event.names, event.before, strict=False)
    return any(name == "dropout" and 0 < value < 1 for name, value in given)


def _has_own_numbers(event: Event) -> bool:
    """Whether a module has parameters that come of no other module, which the suite has loaded."""
    parts = [each for each in event.before if isinstance(each, ModuleHandle)]
    return not parts or any(each._luck.born for each in parts)


def _constructor_arguments(event: Event) -> Iterator[str]:
    for name, value in zip(event.names, event.before, strict=False):
        if isinstance(value, ModuleHandle):
            yield name
        else:
            yield f"{value}" if name in {"d_model", "num_heads", "d_hidden"} else f"{name}={value}"


def _check_parameter(label: str, name: str, value: Any, own: Mapping[str, Any]) -> None:
    if name not in own:
        close = misspelled(name, list(own))
        raise MissingError(say("submission.no-parameter", module=label, name=name, close=close))
    if own[name].shape != value.shape:
        got, expected = tuple(own[name].shape), tuple(value.shape)
        text = say("submission.shape", module=label, name=name, got=got, expected=expected)
        raise MissingError(text)
