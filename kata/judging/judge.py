"""The judge: a graded suite as a list of claims, each checked on one submission."""

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
from pathlib import Path
from types import FunctionType
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError, line_of, unused
from kata.course.suite_code import about
from kata.course.target import Target
from kata.inside.execution import raised
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
from kata.judging.describe import needs_lines, shape
from kata.judging.inputs import WithheldError
from kata.judging.submission import Submission
from kata.judging.values import in_full
from kata.text import printable
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

NO_GPU = "no GPU is present"
GPU_LOST = "the GPU gave up in an earlier claim that fails, and does nothing more in this run"
NOT_JUDGED = "the result cannot be judged: "
SEEN = ("before", "after", "outcome")  # of a call


@dataclass(frozen=True)
class Claim:
    """One test function of a graded suite, on one device."""

    name: str
    function: Callable[..., None]
    sentence: str
    line: int
    wants: tuple[str, ...] = ()
    device: str = ""
    number: int = 0  # its place among the claims of the suite, from 1 on

    @property
    def id(self) -> str:
        """The name under which it is reported."""
        return f"{self.name}[{self.device}]" if self.device else self.name


@cache
def suite(exercise: Exercise) -> tuple[Claim, ...]:
    """All claims of an exercise, in file order; those that ask for a device once for each."""
    if exercise.library == "torch":
        import_torch()
    module = _import(exercise.suite)
    tests = [value for name, value in vars(module).items() if name.startswith("test_")]
    own = [test for test in tests if isinstance(test, FunctionType)]
    return tuple(
        claim
        for at, function_type in enumerate(own, start=1)
        for claim in _claims(function_type, at)
    )


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


def _import(path: Path) -> Any:
    name = f"kata_graded.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # a path that ends in .py always has one
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def import_torch() -> None:
    """Import torch without a garbage collector that walks it: a quarter of a second less.

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
    """Whether this machine lacks the device of a claim."""
    return device == "cuda" and is_missing()


def case_of(claim: Claim, exercise: Exercise) -> Case:
    """The circumstances in which a claim is checked, always the same."""
    place = f"{exercise.short} {claim.number}"
    return Case(claim.name, exercise.library, claim.device, place=place, slug=exercise.slug)


def check(claim: Claim, attempt: Attempt, case: Case | None = None) -> ClaimVerdict:
    """Check one claim. Time limits are up to the caller, and their exceptions pass through."""
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
    """Whether it is the first claim about its function, which fails by the form of a result."""
    function = about(exercise, claim.name)
    first = next(each for each in suite(exercise) if about(exercise, each.name) == function)
    return claim.name == first.name


def _forgiving(
    claim: Claim, attempt: Attempt, case: Case, message: Message | None
) -> tuple[State, Message | None]:
    """The outcome on what came back in another form.

    Where values are missing, or none were compared, the claim fails by the form, as was `told`.
    """
    events, pair = case.events, (State.FAILED, message)
    while case.form and case.form not in case.forgiven:
        case.begin_again()
        pair = _outcome(claim, attempt, case)
    if case.valued and not case.form and not (pair[0] is State.PASSED and case.withheld):
        return pair
    rest_right = case.valued and pair[0] is State.PASSED
    case.events = events
    return State.FAILED, message and replace(message, rest_right=rest_right)


def _unable(device: str) -> str:
    """Why nothing can be judged on this device; empty if it can."""
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
        message = _led(claim, case, str(error), **_where(error))
        line = message.line or _place(attempt, case)
        return State.FAILED, replace(message, line=line)
    except MissingError as error:
        return State.FAILED, _led(claim, case, str(error))
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
        what = raised(error)
        text = f"{NOT_JUDGED}{what.kinds[0]}: {what.text}"
        return State.FAILED, _led(claim, case, text, line=_place(attempt, case))
    return State.PASSED, None


def _failed(error: ClaimFailedError, claim: Claim, attempt: Attempt, case: Case) -> Message:
    """What is to be said of a claim that does not hold."""
    found = {"line": 0, **error.found}
    found["line"] = found["line"] or _place(attempt, case)
    remark = _remark(attempt, case) if attempt.remarks and not found.get("leads") else ""
    return Message(
        claim.sentence, inputs(case), error.evidence, error.cause, remark=remark, **found
    )


def _remark(attempt: Attempt, case: Case) -> str:
    """What the text of the function by itself says."""
    if not case.last_call:
        return ""
    name = case.last_call.label.partition("(")[0]
    names = unused(attempt.target.source(attempt.exercise.slug), name)
    told = ", ".join(f"`{printable(text)}`" for text in names)
    return f"never used in `{name}`: {told}" if names else ""


def _where(error: LearnerError) -> dict[str, Any]:
    """Where an error was raised, as a message says it."""
    return {"frames": error.frames, "line": error.line, "file": error.file}


def _led(claim: Claim, case: Case, evidence: str, **found: Any) -> Message:
    """What happened comes first: the claim was not even reached."""
    return Message(claim.sentence, inputs(case), evidence, leads=True, **found)


def _place(attempt: Attempt, case: Case) -> int:
    """The line of the function that the evidence is about."""
    call = case.last_call
    return line_of(attempt.target.source(attempt.exercise.slug), call.label) if call else 0


def _run(claim: Claim, attempt: Attempt, case: Case) -> None:
    attempt.begin(case)
    wanted = {"submission": Submission(attempt, case), "device": claim.device}
    try:
        # A NaN is the claim's business.
        with checking(case), warnings.catch_warnings(action="ignore"):
            claim.function(**{name: wanted[name] for name in claim.wants})
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
    """A claim that took too long: the learner's lines that it had reached."""
    trace = stop.__traceback__ if stop else None
    frames, line = attempt.own_frames(trace), attempt.own_line(trace)
    message = Message(claim.sentence, inputs(case), text, frames=frames, line=line, leads=True)
    return ClaimVerdict(claim.id, State.TIMED_OUT, message, seconds, claim.device)


def inputs(case: Case) -> str:
    """The call that the evidence is about, and the seed of what was drawn."""
    call = case.last_call
    if call is None:
        return ""
    given = dict(zip(call.names, call.before, strict=False))
    arguments = ", ".join(shape(name, value) for name, value in given.items())
    below = {name: value for name, value in given.items() if needs_lines(value)}
    full = in_full(below)
    again = _again(case) if case.drawn or (below and not full) else ""
    return "\n".join(filter(None, [f"{call.label}({arguments})", full, again]))


def call_of(place: str) -> str:
    """What is said of a claim that the reader can make again."""
    return f"`kata call {place}` opens it in Python"


def _again(case: Case) -> str:
    """How to have the same numbers again."""
    if case.place and case.is_repeatable:
        return call_of(case.place)
    return f"seed {case.seed}"


def judge(exercise: Exercise, target: Target) -> ExerciseVerdict:
    """All claims of one exercise on one target, without time limits."""
    attempt = Attempt(exercise, target)
    claims = tuple(check(claim, attempt) for claim in suite(exercise))
    return ExerciseVerdict(exercise.slug, claims, target.stand_ins(exercise.slug))


@cache
def is_missing() -> bool:
    """Whether this machine has no GPU; one that it has is made to compute like a CPU."""
    # An error is raised by the line that causes it, and not by a later one.
    os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")
    import torch

    if not torch.cuda.is_available():
        return True
    # Convolutions would round their inputs to ten bits.
    torch.backends.cudnn.allow_tf32 = False
    return False


def is_lost() -> bool:
    """Whether it has given up: after an index out of range it does nothing more in this process."""
    import torch

    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def leave(case: Case) -> None:
    """Move to the CPU what a claim has seen, before a later claim makes the GPU give up.

    If this one did, only errors are kept: what lies there can no longer be read.
    """
    if is_lost():
        case.events[:] = [_without_arrays(event) for event in case.events]
        case.compared = None
        return
    case.events[:] = [
        replace(event, **{name: _on_the_cpu(getattr(event, name)) for name in SEEN})
        for event in case.events
    ]
    if case.compared:
        case.compared = replace(case.compared, expected=_on_the_cpu(case.compared.expected))


def _on_the_cpu(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_on_the_cpu(each) for each in value)
    if isinstance(value, Mapping):
        return {key: _on_the_cpu(each) for key, each in value.items()}
    return value.detach().cpu() if getattr(value, "is_cuda", False) else value


def _without_arrays(event: Call) -> Call:
    outcome = event.outcome if isinstance(event.outcome, Exception) else None
    return replace(event, names=(), before=(), after=(), outcome=outcome)
