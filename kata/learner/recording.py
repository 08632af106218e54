"""A recording of one claim: all that it does to the learner's objects, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.source import contract
from kata.course.target import Target
from kata.inside.objects import ModuleRef, Objects
from kata.judging.attempt import Attempt
from kata.judging.case import Case
from kata.judging.judge import Claim, case_of, check
from kata.judging.limits import TIME_LIMIT, OutOfTimeError, computing
from kata.verdict import ClaimVerdict, State


@dataclass(frozen=True)
class Step:
    """One step of a claim.

    Attributes:
        kind: call, probe, load, train, to or part.
        subject: the name of a function, or the number of a module.
        args: the arguments, as they were before.
        kwargs: the arguments by name.
        result: the number of the module that came back.
    """

    kind: str
    subject: str | int
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    result: int | None = None


class RecordedObjects(Objects):
    """The learner's objects, which write down the steps of a claim."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__(names)
        self.defined = names
        self.steps: list[Step] = []
        self.raised: list[Step] = []

    @property
    def modules(self) -> list[Any]:
        """All modules, by their numbers."""
        return self._modules

    def call(self, subject: str | int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Write the call down, and then make it: it may raise, or never end."""
        copies = {name: copied([value])[0] for name, value in kwargs.items()}
        self.steps.append(Step("call", subject, copied(args), copies))
        try:
            return self._note_module(super().call(subject, args, kwargs))
        except BaseException:
            self.raised.append(self.steps[-1])
            raise

    def probe(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ModuleRef:
        """Make a module of the suite's own."""
        self.steps.append(Step("probe", name, tuple(args), dict(kwargs)))
        ref: ModuleRef = self._note_module(super().probe(name, args, kwargs))
        return ref

    def load(self, number: int, weights: Mapping[str, Any]) -> None:
        """Load weights into a module."""
        numbers = {name: value.detach().clone() for name, value in weights.items()}
        self.steps.append(Step("load", number, kwargs=numbers))
        super().load(number, weights)

    def train(self, number: int, mode: bool) -> None:
        """Switch a module to training or evaluation."""
        self.steps.append(Step("train", number, (mode,)))
        super().train(number, mode)

    def to(self, number: int, where: str) -> None:
        """Move a module to another device or dtype."""
        self.steps.append(Step("to", number, (where,)))
        super().to(number, where)

    def attribute(self, number: int, name: str) -> Any:
        """Return an attribute of a module; a step is written down only for a part."""
        value = super().attribute(number, name)
        if isinstance(value, ModuleRef):
            self.steps.append(Step("part", number, (name,), result=value.number))
        return value

    def do(self, step: Step, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Take a step that was written down, with these copies of its arguments."""
        if step.kind == "call":
            self.call(step.subject, args, kwargs)
        elif step.kind == "probe":
            self.probe(str(step.subject), args, kwargs)
        elif step.kind == "load":
            self.load(int(step.subject), kwargs)
        elif step.kind == "part":
            self.attribute(int(step.subject), args[0])
        else:
            getattr(self, step.kind)(step.subject, args[0])

    def _note_module(self, result: Any) -> Any:
        if isinstance(result, ModuleRef):
            self.steps[-1] = replace(self.steps[-1], result=result.number)
        return result


class RecordedAttempt(Attempt):
    """An attempt with such objects."""

    objects = RecordedObjects({})

    def _open(self) -> Objects:
        self.objects = RecordedObjects(vars(self.target.module(self.exercise.slug)))
        return self.objects


@dataclass(frozen=True)
class Recording:
    """The steps of a claim, and its verdict."""

    claim: Claim
    case: Case
    attempt: RecordedAttempt
    verdict: ClaimVerdict

    @property
    def steps(self) -> list[Step]:
        """The steps up to the last call, which the evidence is about, without calls that raised."""
        objects = self.attempt.objects
        calls = [at for at, step in enumerate(objects.steps) if step.kind == "call"]
        if not calls:
            return []
        raised = {id(step) for step in objects.raised}
        before = [step for step in objects.steps[: calls[-1]] if id(step) not in raised]
        return [*before, objects.steps[calls[-1]]]

    def restored(self) -> RecordedObjects:
        """Return new objects in the state before the last call, random numbers included."""
        if self.case.library == "torch":
            import torch

            torch.manual_seed(self.case.seed)
        objects = RecordedObjects(self.attempt.objects.defined)
        for step in self.steps[:-1]:
            copies = [*copied([*step.args, *step.kwargs.values()])]
            args, values = copies[: len(step.args)], copies[len(step.args) :]
            objects.do(step, args, dict(zip(step.kwargs, values, strict=True)))
        return objects

    @property
    def expected(self) -> Any:
        """The right result, in the exercise's library."""
        expected = self.case.compared and self.case.compared.expected
        if expected is None or self.case.library == "numpy":
            return expected
        import torch

        return torch.tensor(expected)

    def function(self, objects: RecordedObjects) -> Any:
        """Return the function or module that the last step called."""
        subject = self.steps[-1].subject
        return objects.defined[subject] if isinstance(subject, str) else objects.modules[subject]

    def parameters(self, step: Step) -> tuple[str, ...]:
        """Return the contract's names for the arguments of a step, in order."""
        functions = contract(self.attempt.exercise).functions
        name = step.subject
        if isinstance(name, int):
            name = f"{type(self.attempt.objects.modules[name]).__name__}.forward"
        names = functions.get(name) or functions.get(f"{name}.__init__", ())
        return (*names, *(f"argument{at}" for at in range(len(names) + 1, len(step.args) + 1)))

    def arguments(self, objects: RecordedObjects) -> dict[str, Any]:
        """Return copies of the last step's arguments, by name."""
        args, kwargs = self._copies(objects)
        return dict(zip(self.parameters(self.steps[-1]), args, strict=False)) | kwargs

    def again(self) -> Any:
        """Make the last call once more, from the same start."""
        objects = self.restored()
        args, kwargs = self._copies(objects)
        return self.function(objects)(*args, **kwargs)

    @property
    def written(self) -> str:
        """The last call as code."""
        last = self.steps[-1]
        names = self.parameters(last)[: len(last.args)]
        arguments = [*names, *(f"{name}={name}" for name in last.kwargs)]
        function = last.subject if isinstance(last.subject, str) else "module"
        return f"{function}({', '.join(arguments)})"

    def _copies(self, objects: RecordedObjects) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return copies of the last step's arrays, and the modules themselves."""
        last, count = self.steps[-1], len(self.steps[-1].args)
        values = [
            objects.modules[value.number] if isinstance(value, ModuleRef) else value
            for value in copied([*last.args, *last.kwargs.values()])
        ]
        return tuple(values[:count]), dict(zip(last.kwargs, values[count:], strict=True))


def record(exercise: Exercise, target: Target, claim: Claim) -> Recording:
    """Record one claim; a call that does not end is stopped where this system can do that."""
    attempt = RecordedAttempt(exercise, target)
    case = case_of(claim, exercise)
    try:
        with computing(TIME_LIMIT):
            verdict = check(claim, attempt, case)
    except OutOfTimeError:
        verdict = ClaimVerdict(claim.id, State.TIMED_OUT)
    return Recording(claim, case, attempt, verdict)


def copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return copies of the values; an array that occurs twice has one copy."""
    copies: dict[int, Any] = {}
    return tuple(copies.setdefault(id(value), _copy(value)) for value in values)


def _copy(value: Any) -> Any:
    if hasattr(value, "detach"):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value.copy(order="K") if hasattr(value, "strides") else value
