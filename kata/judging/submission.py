"""The facade through which a suite asks the work under test, and the forms of what comes back.

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
from kata.judging.case import Call, Case, Chance, Form
from kata.judging.inputs import numpy

INTEGERS = "iu"  # kinds of dtypes
NUMBERS = "iufb"
SIZES = {"d_model", "num_heads", "d_hidden"}  # the arguments that every label gives by place


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
        """Return a module of the suite's own, as an argument for the learner's function."""
        arguments = ", ".join(map(str, args))
        held = self.bench.probe(name, args, kwargs)
        return ModuleHandle(self, held, f"{name}({arguments})", name, Origin(held, drops=False))

    def _missing(self, name: str, names: list[str]) -> str:
        exercise = self._attempt.exercise
        own = [text for text in names if text not in contract(exercise).names]
        return f"{exercise.filename} has no `{name}`{misspelled(name, own)}"

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
        copies, named = _copy((args, dict(kwargs)), {})
        functions = contract(self._attempt.exercise).functions
        names = functions.get(name) or functions.get(f"{name}.__init__", ())
        names = (*names[: len(args)], *kwargs)
        before, after = (*args, *kwargs.values()), (*copies, *named.values())
        event = Call(label, names, before, after, chance=chance)
        self._case.events.append(event)
        positional = [_inside(value) for value in copies]
        keywords = {key: _inside(value) for key, value in named.items()}
        try:
            with self._attempt.guarded(name):
                result = self.bench.call(what, positional, keywords)
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
            label = f"{event.label}({', '.join(_constructor_arguments(event))})"
            origin = Origin(result, _drops(event), _has_own_numbers(event))
            return ModuleHandle(self, result, label, name, origin)
        return result

    def attributes(self, kind: str) -> list[str]:
        """Return the names of the attributes that the contract always asks of a class."""
        items = sections_of(self._attempt.exercise).get(kind, {}).get("Attributes", ())
        return [name for item in items if " if " not in item.text for name in item.names]

    def see(self, label: str, value: Any, chance: Chance | None = None) -> Any:
        """Record a structure that the suite asked for."""
        self._case.events.append(Call(label, outcome=value, chance=chance))
        return value

    def guarded(self, name: str) -> Any:
        """Return the attempt's guard, for handles."""
        return self._attempt.guarded(name)


@dataclass
class Origin:
    """The making of a module, which tells what its numbers depend on beside its inputs.

    Attributes:
        module: the module itself, of which a handle may hold a part.
        drops: whether it was made with a dropout that is neither nothing nor everything.
        born: whether it still has parameters that the suite did not choose.
    """

    module: ModuleRef
    drops: bool
    born: bool = True

    @property
    def chance(self) -> Chance | None:
        """The stronger source of chance: parameters of its own hide what dropout does."""
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
        """True if it still has parameters that the suite did not choose."""
        return self._origin.born

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make a forward pass."""
        self._check_forward()
        name = f"{self._name}.forward"
        label = self._label if self._bench.training(self._number) else f"{self._label}.eval()"
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
        """Move to the device or the dtype with this name."""
        with self._submission.guarded(f"{self._name}.to"):
            self._bench.to(self._number, where)
        return self

    def parameters(self, *wanted: str) -> dict[str, Any]:
        """Return copies of all parameters; one with several names is listed under its first.

        Args:
            wanted: full names of parameters, or of parts, for all that is in them. A parameter that
                has a name there is listed under its first name for every one of these instead.
        """
        values = self._see("parameters()", self._bench.parameters(self._number))
        names = _listed(values, self._bench.shared(self._number), wanted)
        return {name: value for name, value in values.items() if name in names}

    def shared(self) -> list[list[str]]:
        """Return groups of names that stand for one and the same parameter."""
        return self._see("shared()", self._bench.shared(self._number))  # type: ignore[no-any-return]

    def buffers(self) -> list[str]:
        """Return the names of all buffers."""
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
        """Keep those of the names not loaded that are no second name of a loaded parameter."""
        groups = self._bench.shared(self._number) if names else []
        return names.difference(*(group for group in groups if not names.issuperset(group)))

    def gradients(self) -> dict[str, Any]:
        """Return the gradients by the names of parameters, None where there is none."""
        return self._see("gradients()", self._bench.gradients(self._number))  # type: ignore[no-any-return]

    def number(self, name: str) -> int:
        """Return an attribute that is an int."""
        value = self._bench.attribute(self._number, name)
        if not isinstance(value, int):
            kind = getattr(value, "kind", type(value).__name__)
            problem = "missing" if value is None else f"a {kind}"
            text = f"{self._label}: attribute `{name}` is {problem}, expected an int"
            raise self._missing(name, text)
        return self._see(f"number({name})", value)  # type: ignore[no-any-return]

    def part(self, name: str) -> "ModuleHandle":
        """Return a handle of a module inside, by its name."""
        part = self._bench.attribute(self._number, name)
        if not isinstance(part, ModuleRef):
            close = misspelled(name, self._bench.children(self._number))
            text = f"{self._label} has no part `{name}`{close}"
            raise self._missing(name, text)
        label, inner = f"{self._label}.{name}", f"{self._name}.{name}"
        return ModuleHandle(self._submission, part, label, inner, self._origin)

    def _missing(self, name: str, text: str) -> MissingError:
        """Name with a missing attribute all others of the contract that are missing."""
        others = (other for other in self._submission.attributes(self._name) if other != name)
        missing = [other for other in others if self._bench.attribute(self._number, other) is None]
        if not missing:
            return MissingError(text)
        names = ", ".join(f"`{other}`" for other in missing)
        return MissingError(f"{text}; also missing: {names}")

    def _check_parameters(
        self, weights: Mapping[str, Any], own: Mapping[str, tuple[int, ...]]
    ) -> None:
        """Raise MissingError for all parameters that do not exist, or for one of another shape."""
        if missing := [name for name in weights if name not in own]:
            close = misspelled(missing[0], list(own)) if len(missing) == 1 else ""
            names = ", ".join(f"`{name}`" for name in missing)
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
    """Choose a name for a shared parameter, or a name for every wanted part that has it."""
    listed = set(names).difference(*shared)
    for group in shared:
        groups = ([name for name in group if f"{name}.".startswith(f"{part}.")] for part in wanted)
        listed.update([inside[0] for inside in groups if inside] or group[:1])
    return listed


def _copy(value: Any, copies: dict[int, Any]) -> Any:
    """Copy arguments for the learner; gradients flow back to the originals.

    An array that is passed twice, as in self-attention, is one array on the other side, too.
    """
    if isinstance(value, (tuple, list)):
        return type(value)(_copy(item, copies) for item in value)
    if isinstance(value, dict):
        return {key: _copy(item, copies) for key, item in value.items()}
    if id(value) not in copies:
        copies[id(value)] = _copy_array(value)
    return copies[id(value)]


def _copy_array(value: Any) -> Any:
    if hasattr(value, "requires_grad"):
        return value.clone()
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def _inside(value: Any) -> Any:
    return value.held if isinstance(value, ModuleHandle) else value


def _drops(event: Call) -> bool:
    """Tell if a constructor was called with a dropout between 0 and 1."""
    arguments = zip(event.names, event.before, strict=False)
    return any(name == "dropout" and 0 < value < 1 for name, value in arguments)


def _has_own_numbers(event: Call) -> bool:
    """Tell if a module has parameters that do not come from modules loaded by the suite."""
    parts = [value for value in event.before if isinstance(value, ModuleHandle)]
    return not parts or any(part.born for part in parts)


def _constructor_arguments(event: Call) -> Iterator[str]:
    for name, value in zip(event.names, event.before, strict=False):
        if isinstance(value, ModuleHandle):
            yield name
        else:
            yield f"{value}" if name in SIZES else f"{name}={value}"


# -- results in another form than that of the contract


class WithheldError(AttributeError):
    """A claim needs a value that did not come back."""


class Withheld:
    """The second of two values, which did not come back: nothing can be said about it."""

    def __getattr__(self, name: str) -> Any:
        raise WithheldError(name)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise WithheldError


WITHHELD = Withheld()


def reformed(result: Any, forms: set[Form], library: str) -> Any:
    """Bring a result into the form of the contract, if it differs from that in these ways."""
    if Form.LIST in forms and isinstance(result, (int, float, list)):
        return _array(result, library)
    if Form.WHOLE in forms and is_any_array(result) and _is_truth(result):
        return result != 0
    if Form.ALONE in forms and is_any_array(result):
        return result, WITHHELD
    if Form.HALF in forms and isinstance(result, (tuple, list)):
        return tuple(WITHHELD if value is None else value for value in result)
    return result


def form_of_pair(got: Any, count: int) -> Form | None:
    """Return the form of a result that should have been a tuple of so many."""
    return Form.ALONE if count == 2 and is_any_array(got) else None


def form_of_array(got: Any, what: object) -> Form | None:
    """Return the form of a result that should have been an array, or a part of it of this name."""
    if got is None and what:
        return Form.HALF
    is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
    return Form.LIST if is_number or isinstance(got, list) else None


def form_of_truth(got: Any) -> Form | None:
    """Return the form of a mask that should have been boolean."""
    return Form.WHOLE if _is_truth(got) else None


def _is_truth(got: Any) -> bool:
    values = numpy(got)
    return values.dtype.kind in INTEGERS and bool(np.isin(values, (0, 1)).all())


def is_any_array(value: Any) -> bool:
    """Return True for an array or a tensor."""
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


def _array(numbers: Any, library: str) -> Any:
    """Make an array as the library itself does; return the numbers if that cannot be done."""
    try:
        values = np.array(numbers)
    except ValueError:  # lists of different lengths
        return numbers
    if values.dtype.kind not in NUMBERS:
        return numbers
    if library == "numpy":
        return values
    import torch

    return torch.as_tensor(numbers)
