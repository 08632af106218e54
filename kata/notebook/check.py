"""`check(mask_scores)`: the same claims and the same names as pytest and the grader."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kata.errors import UserError
from kata.judging.limits import can_stop
from kata.notebook.in_cells import InCells
from kata.notebook.isolation import isolation
from kata.notebook.judging import Judged, diagnosed, judged, part
from kata.notebook.kernel import cells, run_count, show, shows_at_once
from kata.notebook.request import Request, request_for
from kata.notebook.result import Result, Results, bundle
from kata.notebook.work import Work
from kata.terminal.board import stood_in
from kata.text import clean
from kata.verdict import ExerciseVerdict

if TYPE_CHECKING:
    from kata.notebook.proving.result import ProofResult

_numbers = itertools.count()
Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


class CheckError(UserError):
    """What was asked for cannot be checked; IPython shows the sentence, and no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class InterruptedCheck(KeyboardInterrupt):
    """The learner has interrupted the kernel: where the kata was then is of no use to them."""

    def _render_traceback_(self) -> list[str]:
        return ["interrupted: nothing more was judged, and your cells are as they were"]


def friendly(call: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """Answer with a sentence where a learner cannot have something; interrupts stay short."""

    @wraps(call)
    def friendly_call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        __tracebackhide__ = True  # IPython leaves this line out of a traceback
        try:
            return call(*args, **kwargs)
        except UserError as error:
            raise CheckError(str(error)) from None
        except KeyboardInterrupt:
            raise InterruptedCheck from None

    return friendly_call


@friendly
def check(what: object = None) -> Result | Results:
    """Judge what the cells of this notebook define.

    Args:
        what: a function or class of an exercise, its name, or "ex05"; by default every exercise
            that is begun.
    """
    return checked(Work(cells()), what)


def checked(work: Work, what: object) -> Result | Results:
    """Judge what these cells define."""
    if what is not None:
        return one(work, request_for(what, work.defines))
    return Results(tuple(one(work, Request(exercise)) for exercise in work.begun()))


def one(work: Work, request: Request) -> Result:
    """Show the verdict as soon as it is known, and the mistake when that is found."""
    if request.exercise.library == "torch":
        import torch  # noqa: F401  # before its state is looked at
    with isolation():
        judgement = judged(work, request)
        showing = Showing(_result(work, request, judgement))
        if showing.result.first and judgement.findings:
            showing.named(lambda: diagnosed(judgement, request))
    if judgement.digest and not _remembered(work, judgement, showing.result):
        place = work.progress.path.parent
        showing.noted(
            clean(
                "this result is not remembered, so `board()` and `solution()` know nothing of it: "
                f"{place} cannot be written"
            )
        )
    if line := work.progress.tell([_whole(judgement, showing.result)]):
        showing.noted(line)
    LAST[:] = [(work, showing.result)]
    return showing.result


LAST: "list[tuple[Work, Result | ProofResult]]" = []  # what was judged last, for `hint()`


@dataclass
class Showing:
    """A result in the output of a cell, where the front end can show it before all is known."""

    result: Result

    def __post_init__(self) -> None:
        """Show the verdict."""
        self._key = f"kata-{next(_numbers)}"
        self._at_once = shows_at_once()
        if self._at_once:
            self.result = replace(self.result, shown_in=run_count())
            looking = bool(self.result.first) and not self.result.verdict.is_whole
            show(bundle(replace(self.result, is_final=not looking)), self._key)

    def named(self, diagnose: Callable[[], Any]) -> None:
        """Add the mistake; an interrupt leaves the verdict, which no longer promises one."""
        try:
            verdict = replace(self.result.verdict, diagnosis=diagnose())
            self.result = replace(self.result, verdict=verdict)
        finally:
            self._show_again()

    def noted(self, text: str) -> None:
        """Add something that became known later."""
        self.result = replace(self.result, notes=(*self.result.notes, text))
        self._show_again()

    def _show_again(self) -> None:
        if self._at_once:
            show(bundle(self.result), self._key, again=True)


def _result(work: Work, request: Request, judgement: Judged) -> Result:
    assembly = work.assembly(request.exercise)
    translated = InCells(request.exercise, assembly)
    verdict = translated.verdict(part(judgement.verdict, request))
    first = verdict.first_wrong
    line = first.message.line if first and first.message and not first.message.file else 0
    led = first is not None and first.message is not None and first.message.frames
    place = "" if led or not line else translated.where(line)
    where = f"look at {place}" if place else ""
    return Result(request, verdict, where, tuple(_notes(work, request, judgement)))


def _notes(work: Work, request: Request, judgement: Judged) -> Sequence[str]:
    """What else the learner should know about how it was judged."""
    assembly, notes = work.assembly(request.exercise), []
    for name, numbers in assembly.hidden.items():
        if name == request.name or not request.name:
            *before, last = (f"[{number}]" for number in numbers)
            places = f"{', '.join(before)} and {last}"
            notes.append(f"`{name}` is defined in cells {places}; {last} counts, as it ran last")
    notes += work.unfound(request.exercise, request.name)
    if judgement.verdict.stand_ins:
        notes.append(stood_in(judgement.verdict))
    if not can_stop():
        notes.append(
            "a loop that does not end is not stopped here, "
            "as this code does not run in the main thread: interrupt the kernel"
        )
    return notes


def _remembered(work: Work, judgement: Judged, result: Result) -> bool:
    """Remember a verdict for the board, for hints and later exercises; False if that fails."""
    work.progress.note(_whole(judgement, result), judgement.digest)
    return work.progress.save()


def _whole(judgement: Judged, result: Result) -> ExerciseVerdict:
    """The verdict on all claims of the exercise, with the mistake."""
    return replace(judgement.verdict, diagnosis=result.verdict.diagnosis)
