"""One claim made again on a learner's own objects, with all that was done to them written down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    """One thing that was done: `what` is a function or a module, `made` a module that came of it.

    Args:
        kind: call, probe, load, train, to or part.
        what: the name of a function, or the number of a module.
        args: its arguments, as they were before.
        kwargs: the same, by name.
        made: the number of the module that came back.
    """

    kind: str
    what: str | int
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    made: int | None = None


class RecordedObjects(Objects):
    """The learner's objects, which write down what is done to them."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__(names)
        self.defined = names
        self.steps: list[Step] = []
        self.raised: list[Step] = []

    @property
    def modules(self) -> list[Any]:
        """All modules that were made, by their numbers."""
        return self._modules

    def call(self, what: str | int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Write the call down before it is made: it may raise, or never end."""
        pair = copied(args), {name: copied([value])[0] for name, value in kwargs.items()}
        self.steps.append(Step("call", what, *pair))
        try:
            return self._note_module(super().call(what, args, kwargs))
        except BaseException:
            self.raised.append(self.steps[-1])
            raise

    def probe(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ModuleRef:
        """Make a module of the suite's own."""
        self.steps.append(Step("probe", name, tuple(args), dict(kwargs)))
        ref: ModuleRef = self._note_module(super().probe(name, args, kwargs))
        return ref

    def load(self, number: int, weights: Mapping[str, Any]) -> None:
        """Load numbers into parameters."""
        numbers = {name: value.detach().clone() for name, value in weights.items()}
        self.steps.append(Step("load", number, kwargs=numbers))
        super().load(number, weights)

    def train(self, number: int, mode: bool) -> None:
        """Switch to training or evaluation."""
        self.steps.append(Step("train", number, (mode,)))
        super().train(number, mode)

    def to(self, number: int, where: str) -> None:
        """Move a module to another device or dtype."""
        self.steps.append(Step("to", number, (where,)))
        super().to(number, where)

    def attribute(self, number: int, name: str) -> Any:
        """An attribute of a module; only parts are written down."""
        value = super().attribute(number, name)
        if isinstance(value, ModuleRef):
            self.steps.append(Step("part", number, (name,), made=value.number))
        return value

    def do(self, step: Step, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Take a step that was written down, with these copies of its arguments."""
        if step.kind == "call":
            self.call(step.what, args, kwargs)
        elif step.kind == "probe":
            self.probe(str(step.what), args, kwargs)
        elif step.kind == "load":
            self.load(int(step.what), kwargs)
        elif step.kind == "part":
            self.attribute(int(step.what), args[0])
        else:
            getattr(self, step.kind)(step.what, args[0])

    def _note_module(self, result: Any) -> Any:
        if isinstance(result, ModuleRef):
            last = self.steps.pop()
            self.steps.append(Step(last.kind, last.what, last.args, last.kwargs, result.number))
        return result


class RecordedAttempt(Attempt):
    """One exercise of a learner, whose objects write down what is done to them."""

    objects = RecordedObjects({})

    def _open(self) -> Objects:
        self.objects = RecordedObjects(vars(self.target.module(self.exercise.slug)))
        return self.objects


@dataclass(frozen=True)
class Recording:
    """What a claim did, and how it ended."""

    claim: Claim
    case: Case
    attempt: RecordedAttempt
    verdict: ClaimVerdict

    @property
    def steps(self) -> list[Step]:
        """The steps up to the last call, which the evidence is about, without calls that raised."""
        objects = self.attempt.objects
        calls = [at for at, step in enumerate(objects.steps) if step.kind == "call"]
        until_last = objects.steps[: calls[-1] + 1] if calls else []
        before = [
            step for step in until_last[:-1] if not any(step is bad for bad in objects.raised)
        ]
        return [*before, *until_last[-1:]]

    def restored(self) -> RecordedObjects:
        """New objects in the state in which the last call found them, random numbers included."""
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
        """What should have come back, as the exercise's library has it."""
        right = self.case.compared and self.case.compared.expected
        if right is None or self.case.library == "numpy":
            return right
        import torch

        return torch.tensor(right)

    def function(self, objects: RecordedObjects) -> Any:
        """What the last step called."""
        what = self.steps[-1].what
        return objects.defined[what] if isinstance(what, str) else objects.modules[what]

    def parameters(self, step: Step) -> tuple[str, ...]:
        """The contract's names for the arguments of a step, in order."""
        functions = contract(self.attempt.exercise).functions
        name = step.what
        if isinstance(name, int):
            name = f"{type(self.attempt.objects.modules[name]).__name__}.forward"
        names = functions.get(name) or functions.get(f"{name}.__init__", ())
        return (*names, *(f"argument{at}" for at in range(len(names) + 1, len(step.args) + 1)))

    def arguments(self, objects: RecordedObjects) -> dict[str, Any]:
        """The arguments of the last step, in copies, by name."""
        args, kwargs = self._inside(objects)
        return dict(zip(self.parameters(self.steps[-1]), args, strict=False)) | kwargs

    def again(self) -> Any:
        """The last call once more, from the same start."""
        objects = self.restored()
        args, kwargs = self._inside(objects)
        return self.function(objects)(*args, **kwargs)

    @property
    def written(self) -> str:
        """The last call as one would write it."""
        last = self.steps[-1]
        names = [*self.parameters(last)[: len(last.args)], *(f"{n}={n}" for n in last.kwargs)]
        name = last.what if isinstance(last.what, str) else "module"
        return f"{name}({', '.join(names)})"

    def _inside(self, objects: RecordedObjects) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Copies of arrays, and modules themselves."""
        last = self.steps[-1]
        every = copied([*last.args, *last.kwargs.values()])
        real = [objects.modules[e.number] if isinstance(e, ModuleRef) else e for e in every]
        count = len(last.args)
        return tuple(real[:count]), dict(zip(last.kwargs, real[count:], strict=True))


def record(exercise: Exercise, target: Target, claim: Claim) -> Recording:
    """Make one claim; a call that does not end is stopped where this system can do that."""
    attempt = RecordedAttempt(exercise, target)
    case = case_of(claim, exercise)
    try:
        with computing(TIME_LIMIT):
            verdict = check(claim, attempt, case)
    except OutOfTimeError:
        verdict = ClaimVerdict(claim.id, State.TIMED_OUT)
    return Recording(claim, case, attempt, verdict)


def copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """The same arrays in new memory, one for each; what was given twice is still one."""
    copies: dict[int, Any] = {}
    return tuple(copies.setdefault(id(value), _copy(value)) for value in values)


def _copy(value: Any) -> Any:
    if hasattr(value, "detach"):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value.copy(order="K") if hasattr(value, "strides") else value
