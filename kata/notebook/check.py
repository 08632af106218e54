"""`check(mask_scores)`: the same claims and the same names as pytest and the grader."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kata.errors import UserError
from kata.judging.limits import can_stop
from kata.notebook.asked import Asked, asked
from kata.notebook.in_cells import InCells
from kata.notebook.judging import Judged, diagnosed, judged, part
from kata.notebook.kernel import cells, run_count, show, shows_at_once
from kata.notebook.result import Result, Results, bundle
from kata.notebook.untouched import untouched
from kata.notebook.work import Work
from kata.terminal.board import stood_in
from kata.text import clean
from kata.verdict import ExerciseVerdict

if TYPE_CHECKING:
    from kata.notebook.proving.proved import Proved

_numbers = itertools.count()
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class CheckError(UserError):
    """What was asked for cannot be checked; IPython shows the sentence, and no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class InterruptedCheck(KeyboardInterrupt):
    """The learner has interrupted the kernel: where the kata was then is of no use to them."""

    def _render_traceback_(self) -> list[str]:
        return ["interrupted: nothing more was judged, and your cells are as they were"]


def friendly(call: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """What a learner asks for and cannot have is told in a sentence; interrupts stay short."""

    @wraps(call)
    def told(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        __tracebackhide__ = True  # IPython leaves this line out of a traceback
        try:
            return call(*args, **kwargs)
        except UserError as error:
            raise CheckError(str(error)) from None
        except KeyboardInterrupt:
            raise InterruptedCheck from None

    return told


@friendly
def check(what: object = None) -> Result | Results:
    """Judge what the cells of this notebook define.

    Args:
        what: a function or class of an exercise, its name, or "ex05"; by default every exercise
            that is begun.
    """
    return checked(Work(cells()), what)


def checked(work: Work, what: object) -> Result | Results:
    """The same for given cells."""
    if what is not None:
        return one(work, asked(what, work.defines))
    return Results(tuple(one(work, Asked(exercise)) for exercise in work.begun()))


def one(work: Work, wanted: Asked) -> Result:
    """Show the verdict as soon as it is known, and the mistake when that is found."""
    if wanted.exercise.library == "torch":
        import torch  # noqa: F401  # before its state is looked at
    with untouched():
        found = judged(work, wanted)
        showing = Showing(_result(work, wanted, found))
        if showing.result.first and found.findings:
            showing.named(lambda: diagnosed(found, wanted))
    if found.digest and not _remembered(work, found, showing.result):
        place = work.progress.path.parent
        showing.noted(
            clean(
                "this result is not remembered, so `board()` and `solution()` know nothing of it: "
                f"{place} cannot be written"
            )
        )
    if line := work.progress.tell([_whole(found, showing.result)]):
        showing.noted(line)
    LAST[:] = [(work, showing.result)]
    return showing.result


LAST: "list[tuple[Work, Result | Proved]]" = []  # what was judged last, for `hint()`


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


def _result(work: Work, wanted: Asked, found: Judged) -> Result:
    assembly = work.assembly(wanted.exercise)
    translated = InCells(wanted.exercise, assembly)
    verdict = translated.verdict(part(found.verdict, wanted))
    first = verdict.first_wrong
    line = first.message.line if first and first.message and not first.message.file else 0
    led = first is not None and first.message is not None and first.message.frames
    found_at = "" if led or not line else translated.where(line)
    where = f"look at {found_at}" if found_at else ""
    return Result(wanted, verdict, where, tuple(_notes(work, wanted, found)))


def _notes(work: Work, wanted: Asked, found: Judged) -> Sequence[str]:
    """What else the learner should know about how it was judged."""
    assembly, notes = work.assembly(wanted.exercise), []
    for name, numbers in assembly.hidden.items():
        if name == wanted.name or not wanted.name:
            *before, last = (f"[{number}]" for number in numbers)
            cells_with_it = f"{', '.join(before)} and {last}"
            notes.append(
                f"`{name}` is defined in cells {cells_with_it}; {last} counts, as it ran last"
            )
    notes += work.unfound(wanted.exercise, wanted.name)
    if found.verdict.stand_ins:
        notes.append(stood_in(found.verdict))
    if not can_stop():
        notes.append(
            "a loop that does not end is not stopped here, "
            "as this code does not run in the main thread: interrupt the kernel"
        )
    return notes


def _remembered(work: Work, found: Judged, result: Result) -> bool:
    """For the board, for hints, and for later exercises; False if nothing can be written."""
    work.progress.note(_whole(found, result), found.digest)
    return work.progress.save()


def _whole(found: Judged, result: Result) -> ExerciseVerdict:
    """All claims of the exercise, with the mistake."""
    return replace(found.verdict, diagnosis=result.verdict.diagnosis)
