"""The judge: a graded suite as a list of claims, which are checked on a submission."""

import gc
import importlib.util
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from inspect import cleandoc, signature
from types import FunctionType
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError, line_of, unused
from kata.course.suite_code import about, module_name
from kata.course.target import Target
from kata.inside.execution import raised
from kata.judging.arrays import in_full
from kata.judging.attempt import (
    Attempt,
    BlockedError,
    LearnerError,
    LoadError,
    MissingError,
    NotWrittenError,
    not_importable,
)
from kata.judging.case import Call, Case, checking
from kata.judging.claims import ClaimFailedError
from kata.judging.submission import Submission, WithheldError
from kata.judging.values import needs_lines, shape
from kata.text import printable
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

NO_GPU = "no GPU is present"
GPU_LOST = "the GPU gave up in an earlier claim that fails, and does nothing more in this run"
NOT_JUDGED = "the result cannot be judged: "
VALUES = ("before", "after", "outcome")  # the fields of a call that hold arrays


@dataclass(frozen=True)
class Claim:
    """A test function of a graded suite, on one device; its number is its place, from 1 on."""

    name: str
    function: Callable[..., None]
    sentence: str
    line: int
    wants: tuple[str, ...] = ()
    device: str = ""
    number: int = 0

    @property
    def id(self) -> str:
        """The name of the claim in reports."""
        return f"{self.name}[{self.device}]" if self.device else self.name


@cache
def suite(exercise: Exercise) -> tuple[Claim, ...]:
    """Return all claims of an exercise in file order; one that takes a device has several."""
    if exercise.library == "torch":
        import_torch()
    module = _import(exercise)
    tests = [value for name, value in vars(module).items()
             if name.startswith("test_") and isinstance(value, FunctionType)]  # fmt: skip
    numbered = enumerate(tests, start=1)
    return tuple(claim for number, test in numbered for claim in _claims(test, number))


def _claims(function: FunctionType, number: int) -> list[Claim]:
    sentence = " ".join(cleandoc(function.__doc__ or function.__name__).split("\n\n")[0].split())
    line = function.__code__.co_firstlineno
    wants = _parameters(function)
    devices = ["cpu", "cuda"] if "device" in wants else [""]
    return [
        Claim(function.__name__, function, sentence, line, wants, device, number)
        for device in devices
    ]


def _parameters(function: FunctionType) -> tuple[str, ...]:
    parameters = tuple(signature(function).parameters)
    if unknown := set(parameters) - {"submission", "device"}:
        raise TypeError(f"{function.__name__}: a claim takes submission and device, not {unknown}")
    return parameters


def _import(exercise: Exercise) -> Any:
    name = module_name(exercise)
    spec = importlib.util.spec_from_file_location(name, exercise.suite)
    assert spec is not None  # a path that ends in .py always has one
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def import_torch() -> None:
    """Import torch without a garbage collector that walks it, which takes a quarter of a second.

    One thread is the fastest for tensors of this size, and leaves the process safe to fork.
    """
    first = "torch" not in sys.modules
    if first:
        gc.disable()
    import torch

    if first:
        gc.freeze()
        gc.enable()
    torch.set_num_threads(1)


def device_missing(device: str) -> bool:
    """Return True if this machine lacks the device of a claim."""
    return device == "cuda" and is_missing()


def case_of(claim: Claim, exercise: Exercise) -> Case:
    """Return the circumstances in which a claim is checked, always the same."""
    place = f"{exercise.short} {claim.number}"
    return Case(claim.name, exercise.library, claim.device, place=place, slug=exercise.slug)


def check(claim: Claim, attempt: Attempt, case: Case | None = None) -> ClaimVerdict:
    """Check a claim. Time limits are up to the caller, and their exceptions pass through."""
    case = case or case_of(claim, attempt.exercise)
    if reason := _unable(claim.device):
        return ClaimVerdict(claim.id, State.SKIPPED, Message(reason), 0.0, claim.device)
    start = time.perf_counter()
    state, message = _outcome(claim, attempt, case)
    if case.form and not _is_of_the_form(claim, attempt.exercise):
        state, message = _forgiving(claim, attempt, case, message)
    if claim.device == "cuda":
        leave(case)
    return ClaimVerdict(claim.id, state, message, time.perf_counter() - start, claim.device)


def _is_of_the_form(claim: Claim, exercise: Exercise) -> bool:
    """Tell if this is the first claim about its function, which fails by the form of a result."""
    function = about(exercise, claim.name)
    names = (other.name for other in suite(exercise))
    return claim.name == next(name for name in names if about(exercise, name) == function)


def _forgiving(
    claim: Claim, attempt: Attempt, case: Case, message: Message | None
) -> tuple[State, Message | None]:
    """Judge a claim on results in another form.

    If values are missing, or none were compared, the claim fails by the form, as the message says.
    """
    events, state, other_message = case.events, State.FAILED, message
    while case.form and case.form not in case.forgiven:
        case.begin_again()
        state, other_message = _outcome(claim, attempt, case)
    if case.valued and not case.form and not (state is State.PASSED and case.withheld):
        return state, other_message
    rest_right = case.valued and state is State.PASSED
    case.events = events
    return State.FAILED, message and replace(message, rest_right=rest_right)


def _unable(device: str) -> str:
    """Return the reason why nothing can be judged on this device; empty if there is none."""
    if device_missing(device):
        return NO_GPU
    return GPU_LOST if device == "cuda" and is_lost() else ""


def _outcome(claim: Claim, attempt: Attempt, case: Case) -> tuple[State, Message | None]:
    try:
        _run(claim, attempt, case)
    except ClaimFailedError as error:
        case.keep(error)
        return State.FAILED, _failed(error, claim, attempt, case)
    except LoadError as error:
        case.keep(error.__context__)
        text = not_importable(attempt.exercise.filename)
        return State.ERROR, Message(text, evidence=str(error), **_where(error))
    except LearnerError as error:
        case.keep(error.__context__)  # what the learner's code raised, with its frames
        message = _leading(claim, case, str(error), **_where(error))
        line = message.line or _place(attempt, case)
        return State.FAILED, replace(message, line=line)
    except MissingError as error:
        return State.FAILED, _leading(claim, case, str(error))
    except NotWrittenError as error:
        return State.NOT_STARTED, Message("", evidence=str(error), line=error.line)
    except BlockedError as error:
        return State.BLOCKED, Message(claim.sentence, evidence=str(error), leads=True)
    except UnusableError as error:
        return State.ERROR, Message(str(error), line=error.line)
    except WithheldError:
        case.valued = False  # what did come back is not enough
        return State.FAILED, None
    except Exception as error:  # the suite could not compute with what came back
        data = raised(error)
        text = f"{NOT_JUDGED}{data.kinds[0]}: {data.text}"
        return State.FAILED, _leading(claim, case, text, line=_place(attempt, case))
    return State.PASSED, None


def _failed(error: ClaimFailedError, claim: Claim, attempt: Attempt, case: Case) -> Message:
    """Return the message about a claim that does not hold."""
    fields = {**error.fields, "line": error.fields.get("line") or _place(attempt, case)}
    if attempt.remarks and not fields.get("leads"):
        fields["remark"] = _remark(attempt, case)
    return Message(claim.sentence, inputs(case), error.evidence, error.cause, **fields)


def _remark(attempt: Attempt, case: Case) -> str:
    """Return what the text of the function shows without a run."""
    if not case.last_call:
        return ""
    name = case.last_call.label.partition("(")[0]
    names = unused(attempt.target.source(attempt.exercise.slug), name)
    listed = ", ".join(f"`{printable(text)}`" for text in names)
    return f"never used in `{name}`: {listed}" if names else ""


def _where(error: LearnerError) -> dict[str, Any]:
    """Return the fields of a message that say where an error was raised."""
    return {"frames": error.frames, "line": error.line, "file": error.file}


def _leading(claim: Claim, case: Case, evidence: str, **fields: Any) -> Message:
    """Return a message that begins with the evidence: the claim was not even reached."""
    return Message(claim.sentence, inputs(case), evidence, leads=True, **fields)


def _place(attempt: Attempt, case: Case) -> int:
    """Return the line of the function that the evidence is about."""
    call = case.last_call
    return line_of(attempt.target.source(attempt.exercise.slug), call.label) if call else 0


def _run(claim: Claim, attempt: Attempt, case: Case) -> None:
    attempt.begin(case)
    arguments = {"submission": Submission(attempt, case), "device": claim.device}
    try:
        # A NaN is the claim's business.
        with checking(case), warnings.catch_warnings(action="ignore"):
            claim.function(**{name: arguments[name] for name in claim.wants})
    except Exception:
        if claim.device == "cuda":
            leave(case)
        raise


def timed_out(
    claim: Claim,
    attempt: Attempt,
    case: Case,
    stop: BaseException | None,
    text: str,
    seconds: float,
) -> ClaimVerdict:
    """Return the verdict on a claim that took too long, with the lines that it had reached."""
    trace = stop.__traceback__ if stop else None
    frames, line = attempt.own_frames(trace), attempt.own_line(trace)
    message = Message(claim.sentence, inputs(case), text, frames=frames, line=line, leads=True)
    return ClaimVerdict(claim.id, State.TIMED_OUT, message, seconds, claim.device)


def inputs(case: Case) -> str:
    """Describe the call that the evidence is about, and how to repeat its random numbers."""
    call = case.last_call
    if call is None:
        return ""
    arguments = dict(zip(call.names, call.before, strict=False))
    listed = ", ".join(shape(name, value) for name, value in arguments.items())
    large = {name: value for name, value in arguments.items() if needs_lines(value)}
    lines = in_full(large)
    again = _again(case) if case.drawn or (large and not lines) else ""
    return "\n".join(filter(None, [f"{call.label}({listed})", lines, again]))


def call_of(place: str) -> str:
    """Return the sentence about a claim that the reader can check again."""
    return f"`kata call {place}` opens it in Python"


def _again(case: Case) -> str:
    """Say how to get the same numbers again."""
    if case.place and case.is_repeatable:
        return call_of(case.place)
    return f"seed {case.seed}"


def judge(exercise: Exercise, target: Target) -> ExerciseVerdict:
    """Check all claims of an exercise on a target, without time limits."""
    attempt = Attempt(exercise, target)
    claims = tuple(check(claim, attempt) for claim in suite(exercise))
    return ExerciseVerdict(exercise.slug, claims, target.stand_ins(exercise.slug))


@cache
def is_missing() -> bool:
    """Return True if this machine has no GPU; make one that it has compute like a CPU."""
    # An error is raised by the line that causes it, and not by a later one.
    os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")
    import torch

    if not torch.cuda.is_available():
        return True
    # Convolutions would round their inputs to ten bits.
    torch.backends.cudnn.allow_tf32 = False
    return False


def is_lost() -> bool:
    """Return True if the GPU has given up: after an index out of range it does nothing more."""
    import torch

    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def leave(case: Case) -> None:
    """Move to the CPU what a claim has seen, before a later claim makes the GPU give up.

    If this one did, only errors are kept: arrays on the GPU can no longer be read.
    """
    if is_lost():
        case.events[:] = [_without_arrays(event) for event in case.events]
        case.compared = None
        return
    case.events[:] = [
        replace(event, **{name: _on_the_cpu(getattr(event, name)) for name in VALUES})
        for event in case.events
    ]
    if case.compared:
        case.compared = replace(case.compared, expected=_on_the_cpu(case.compared.expected))


def _on_the_cpu(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_on_the_cpu(item) for item in value)
    if isinstance(value, Mapping):
        return {key: _on_the_cpu(item) for key, item in value.items()}
    return value.detach().cpu() if getattr(value, "is_cuda", False) else value


def _without_arrays(event: Call) -> Call:
    outcome = event.outcome if isinstance(event.outcome, Exception) else None
    return replace(event, names=(), before=(), after=(), outcome=outcome)
