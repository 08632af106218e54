"""What a suite can ask of the work under test, and no more.

A suite never touches the learner's objects: it calls functions by name, gets arrays, tensors and
numbers back, and holds modules as handles. The same surface can be served by another process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kata.course.contract import sections_of
from kata.course.curriculum import misspelled
from kata.course.source import contract
from kata.inside.objects import ModuleRef, Objects
from kata.judging.attempt import Attempt, MissingError
from kata.judging.case import Call, Case, Chance
from kata.judging.inputs import reformed


class Submission:
    """The facade of one claim: `submission.softmax(x)`, `submission.EncoderLayer(18, 3, 9)`."""

    def __init__(self, attempt: Attempt, case: Case) -> None:
        self._attempt = attempt
        self._case = case

    def __getattr__(self, name: str) -> Callable[..., Any]:
        names = self.bench.names()
        if not names.get(name):
            raise MissingError(self._missing(name, list(names)))
        return lambda *args, **kwargs: self.call(name, name, name, args, kwargs)

    @property
    def bench(self) -> Objects:
        """The learner's objects."""
        return self._attempt.load()

    def probe(self, name: str, *args: Any, **kwargs: Any) -> "ModuleHandle":
        """A module of the suite's own, to be handed to the learner's function."""
        arguments = ", ".join(map(str, args))
        held = self.bench.probe(name, args, kwargs)
        return ModuleHandle(self, held, f"{name}({arguments})", name, Origin(held, drops=False))

    def _missing(self, name: str, names: list[str]) -> str:
        exercise = self._attempt.exercise
        own = [text for text in names if text not in contract(exercise).names]
        close = misspelled(name, own)
        return f"{exercise.filename} has no `{name}`{close}"

    def call(
        self,
        label: str,
        name: str,
        what: str | int,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        *,
        chance: Chance | None = None,
    ) -> Any:
        """Call the learner's code with copies, and record the arguments and the outcome."""
        value, named = _copy((args, dict(kwargs)), {})
        functions = contract(self._attempt.exercise).functions
        names = functions.get(name) or functions.get(f"{name}.__init__", ())
        names = (*names[: len(args)], *kwargs)
        before, after = (*args, *kwargs.values()), (*value, *named.values())
        event = Call(label, names, before, after, chance=chance)
        self._case.events.append(event)
        inside = [_inside(each) for each in value], {k: _inside(v) for k, v in named.items()}
        try:
            with self._attempt.guarded(name):
                result = self.bench.call(what, *inside)
            event.outcome = self._wrap(result, event, name)
        except Exception as error:
            event.outcome = error
            raise
        forms = self._case.forgiven
        return reformed(event.outcome, forms, self._case.library) if forms else event.outcome

    def _wrap(self, result: Any, event: Call, name: str) -> Any:
        if isinstance(result, (tuple, list)):
            wrapped = [self._wrap(value, event, name) for value in result]
            return tuple(wrapped) if isinstance(result, tuple) else wrapped
        if isinstance(result, ModuleRef):
            arguments = ", ".join(_constructor_arguments(event))
            label = f"{event.label}({arguments})"
            origin = Origin(result, _drops(event), _has_own_numbers(event))
            return ModuleHandle(self, result, label, name, origin)
        return result

    def attributes(self, kind: str) -> list[str]:
        """What the contract calls the attributes of a class that has to have them."""
        sections = sections_of(self._attempt.exercise).get(kind, {})
        always = (item for item in sections.get("Attributes", ()) if " if " not in item.text)
        return [name for item in always for name in item.names]

    def see(self, label: str, value: Any, chance: Chance | None = None) -> Any:
        """Record a structure that the suite asked for."""
        self._case.events.append(Call(label, outcome=value, chance=chance))
        return value

    def guarded(self, name: str) -> Any:
        """The attempt's guard, for handles."""
        return self._attempt.guarded(name)


@dataclass
class Origin:
    """How a module was made, and so what its numbers depend on beside its inputs.

    Args:
        module: as it was made.
        drops: whether it was made with a dropout that is neither nothing nor everything.
        born: whether it still has parameters that the suite did not choose.
    """

    module: ModuleRef
    drops: bool
    born: bool = True

    @property
    def chance(self) -> Chance | None:
        """The stronger of the two: parameters of its own hide what dropout does."""
        return Chance.BIRTH if self.born else Chance.DROPOUT if self.drops else None


class ModuleHandle:
    """A learner's nn.Module, held from outside."""

    def __init__(
        self, submission: Submission, held: ModuleRef, label: str, name: str, origin: Origin
    ) -> None:
        self._submission = submission
        self._held = held
        self._label = label
        self._name = name
        self._origin = origin

    def __repr__(self) -> str:
        return self._label

    @property
    def held(self) -> ModuleRef:
        """The reference by which the objects know it."""
        return self._held

    @property
    def born(self) -> bool:
        """Whether it still has parameters that the suite did not choose."""
        return self._origin.born

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One forward pass."""
        self._check_forward()
        name = f"{self._name}.forward"
        mode = "" if self._bench.training(self._number) else ".eval()"
        label = f"{self._label}{mode}"
        chance = self._origin.chance
        return self._submission.call(label, name, self._number, args, kwargs, chance=chance)

    def _check_forward(self) -> None:
        if self._held.instead_of_forward is not None:
            close = misspelled("forward", list(self._held.instead_of_forward))
            raise MissingError(f"class `{self._held.kind}` has no method `forward`{close}")

    def train(self) -> "ModuleHandle":
        """Switch to training mode."""
        return self._switch(mode=True)

    def eval(self) -> "ModuleHandle":
        """Switch to evaluation mode, as the model around it does: that never calls eval()."""
        return self._switch(mode=False)

    def to(self, where: str) -> "ModuleHandle":
        """Move to a device or a dtype, given by name."""
        with self._submission.guarded(f"{self._name}.to"):
            self._bench.to(self._number, where)
        return self

    def parameters(self, *wanted: str) -> dict[str, Any]:
        """Copies of all parameters, each once, whatever other names it has.

        It is listed under its first name, or under its first among each of `wanted` where it has
        one there: a parameter by its full name, or a part with all that is in it.
        """
        see = self._see("parameters()", self._bench.parameters(self._number))
        listed = _listed(see, self._bench.shared(self._number), wanted)
        return {name: value for name, value in see.items() if name in listed}

    def shared(self) -> list[list[str]]:
        """Names that stand for one and the same parameter."""
        return self._see("shared()", self._bench.shared(self._number))  # type: ignore[no-any-return]

    def buffers(self) -> list[str]:
        """The names of all buffers."""
        return self._see("buffers()", self._bench.buffers(self._number))  # type: ignore[no-any-return]

    def load(self, weights: Mapping[str, Any]) -> "ModuleHandle":
        """Put the suite's numbers into the learner's parameters."""
        own = self._bench.shapes(self._number)
        self._check_parameters(weights, own)
        self._bench.load(self._number, weights)
        if self._held == self._origin.module and not self._left_out(set(own) - set(weights)):
            self._origin.born = False
        return self

    def _left_out(self, names: set[str]) -> set[str]:
        """Of names that were not loaded, those that are no second name of one that was."""
        known = self._bench.shared(self._number) if names else []
        return names.difference(*(group for group in known if not names.issuperset(group)))

    def gradients(self) -> dict[str, Any]:
        """The gradient of each parameter, None where there is none."""
        return self._see("gradients()", self._bench.gradients(self._number))  # type: ignore[no-any-return]

    def number(self, name: str) -> int:
        """An attribute that is an int."""
        value = self._bench.attribute(self._number, name)
        if not isinstance(value, int):
            kind = getattr(value, "kind", type(value).__name__)
            problem = "missing" if value is None else f"a {kind}"
            text = f"{self._label}: attribute `{name}` is {problem}, expected an int"
            raise self._missing(name, text)
        return self._see(f"number({name})", value)  # type: ignore[no-any-return]

    def part(self, name: str) -> "ModuleHandle":
        """A module inside, by its name."""
        part = self._bench.attribute(self._number, name)
        if not isinstance(part, ModuleRef):
            close = misspelled(name, self._bench.children(self._number))
            text = f"{self._label} has no part `{name}`{close}"
            raise self._missing(name, text)
        label, inner = f"{self._label}.{name}", f"{self._name}.{name}"
        return ModuleHandle(self._submission, part, label, inner, self._origin)

    def _missing(self, name: str, text: str) -> MissingError:
        """One attribute is missing: name all others of the contract that are."""
        others = self._submission.attributes(self._name)
        asked = (other for other in others if other != name)
        missing = [each for each in asked if self._bench.attribute(self._number, each) is None]
        if not missing:
            return MissingError(text)
        names = ", ".join(f"`{each}`" for each in missing)
        return MissingError(f"{text}; also missing: {names}")

    def _check_parameters(
        self, weights: Mapping[str, Any], own: Mapping[str, tuple[int, ...]]
    ) -> None:
        """Raise MissingError for all parameters that are not there, or for one of another shape."""
        if missing := [name for name in weights if name not in own]:
            close = misspelled(missing[0], list(own)) if len(missing) == 1 else ""
            names = ", ".join(f"`{text}`" for text in missing)
            raise MissingError(f"{self._label} has no parameter {names}{close}")
        for name, value in weights.items():
            got, right = own[name], tuple(value.shape)
            if got != right:
                raise MissingError(f"{self._label}: `{name}` has shape {got}, expected {right}")

    @property
    def _bench(self) -> Objects:
        return self._submission.bench

    @property
    def _number(self) -> int:
        return self._held.number

    def _switch(self, *, mode: bool) -> "ModuleHandle":
        with self._submission.guarded(f"{self._name}.train"):
            self._bench.train(self._number, mode)
        return self

    def _see(self, what: str, value: Any) -> Any:
        return self._submission.see(f"{self._label}.{what}", value, self._origin.chance)


def _listed(names: Iterable[str], shared: list[list[str]], wanted: Sequence[str]) -> set[str]:
    """Of all names of parameters those under which each is listed: once, or once per wanted one."""
    listed = set(names).difference(*shared)
    for group in shared:
        inside = ([name for name in group if _belongs(name, text)] for text in wanted)
        listed.update([found[0] for found in inside if found] or group[:1])
    return listed


def _belongs(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(f"{wanted}.")


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
    return value.held if isinstance(value, ModuleHandle) else value


def _drops(event: Call) -> bool:
    """Whether a constructor was given a dropout between 0 and 1."""
    given = zip(event.names, event.before, strict=False)
    return any(name == "dropout" and 0 < value < 1 for name, value in given)


def _has_own_numbers(event: Call) -> bool:
    """Whether a module has parameters that it was not given in modules loaded by the suite."""
    parts = [value for value in event.before if isinstance(value, ModuleHandle)]
    return not parts or any(part.born for part in parts)


def _constructor_arguments(event: Call) -> Iterator[str]:
    for name, value in zip(event.names, event.before, strict=False):
        if isinstance(value, ModuleHandle):
            yield name
        else:
            yield f"{value}" if name in {"d_model", "num_heads", "d_hidden"} else f"{name}={value}"
