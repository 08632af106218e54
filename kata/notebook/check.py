"""`check(mask_scores)`: the same claims and the same names as pytest and the grader."""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kata.course.cells import Assembly
from kata.course.curriculum import Exercise
from kata.course.target import at_sight
from kata.errors import UserError
from kata.judging.limits import PATIENCE, TIME_LIMIT, OutOfTimeError, can_stop, computing, waiting
from kata.notebook.kernel import (
    THIS_NOTEBOOK,
    WorkInCells,
    cells,
    place,
    run_count,
    show,
    shows_at_once,
)
from kata.notebook.results import Request, Result, Results, bundle, request_for
from kata.proofs.verdict import ProofVerdict
from kata.terminal.board import stood_in
from kata.text import clean
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State

if TYPE_CHECKING:
    from kata.course.target import Target
    from kata.diagnosis.observe import Finding
    from kata.judging.judge import Claim
    from kata.notebook.isolation import ListeningAttempt

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
# The latest result, for `hint()`.
LAST: list[tuple[WorkInCells, Result | ProofVerdict]] = []
FRAME = re.compile(r"(?P<file>[^\n]*):(?P<line>\d+) in ")

_numbers = itertools.count()


class CheckError(UserError):
    """A check that is impossible; IPython shows the sentence, and no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class InterruptedCheck(KeyboardInterrupt):
    """An interrupt of the kernel; where the kata was then is of no use to the learner."""

    def _render_traceback_(self) -> list[str]:
        return ["interrupted: nothing more was judged, and your cells are as they were"]


def friendly(call: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """Turn a UserError into a sentence without a traceback, and shorten an interrupt."""

    @wraps(call)
    def friendly_call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        # IPython leaves this line out of a traceback.
        __tracebackhide__ = True
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
    return checked(WorkInCells(cells()), what)


def checked(work: WorkInCells, what: object) -> Result | Results:
    """Judge what these cells define."""
    if what is not None:
        return result_for(work, request_for(what, work.defines))
    return Results(tuple(result_for(work, Request(exercise)) for exercise in work.begun()))


def result_for(work: WorkInCells, request: Request) -> Result:
    """Show the verdict at once, and add the mistake when the diagnosis has it."""
    # Late, because it imports numpy.
    from kata.notebook.isolation import isolation

    if request.exercise.library == "torch":
        import torch  # noqa: F401  # before its state is looked at
    with isolation():
        judgement = judge(work, request)
        output = CellOutput(_result(work, request, judgement))
        if output.result.first and judgement.findings:
            output.add_mistake(lambda: diagnosis_of(judgement, request))
    if judgement.digest and not _remember(work, judgement, output.result):
        place = work.progress.path.parent
        output.add_note(
            clean(
                "this result is not remembered, so `board()` and `solution()` know nothing of it: "
                f"{place} cannot be written"
            )
        )
    if line := work.progress.tell([_with_mistake(judgement, output.result)]):
        output.add_note(line)
    LAST[:] = [(work, output.result)]
    return output.result


@dataclass
class CellOutput:
    """A result in the output of a cell, replaced there if the front end can do that."""

    result: Result

    def __post_init__(self) -> None:
        """Show the verdict."""
        self._key = f"kata-{next(_numbers)}"
        self._at_once = shows_at_once()
        if self._at_once:
            self.result = replace(self.result, output_of=run_count())
            has_diagnosis = bool(self.result.first) and not self.result.verdict.is_whole
            show(bundle(replace(self.result, is_final=not has_diagnosis)), self._key)

    def add_mistake(self, diagnose: Callable[[], Any]) -> None:
        """Add the mistake; an interrupt leaves the verdict, which no longer promises one."""
        try:
            verdict = replace(self.result.verdict, diagnosis=diagnose())
            self.result = replace(self.result, verdict=verdict)
        finally:
            self._show_again()

    def add_note(self, text: str) -> None:
        """Add a sentence below the verdict."""
        self.result = replace(self.result, notes=(*self.result.notes, text))
        self._show_again()

    def _show_again(self) -> None:
        if self._at_once:
            show(bundle(self.result), self._key, again=True)


@dataclass(frozen=True)
class Judgement:
    """The verdict on a whole exercise, and the findings of its suite by the ids of the claims."""

    verdict: ExerciseVerdict
    findings: "Mapping[str, Finding]"
    text: str
    digest: str


def _result(work: WorkInCells, request: Request, judgement: Judgement) -> Result:
    assembly = work.assembly(request.exercise)
    translator = CellTranslator(request.exercise, assembly)
    verdict = translator.verdict(part(judgement.verdict, request))
    first = verdict.first_wrong
    line = first.message.line if first and first.message and not first.message.file else 0
    has_frames = first is not None and first.message is not None and first.message.frames
    place = "" if has_frames or not line else translator.where(line)
    where = f"look at {place}" if place else ""
    return Result(request, verdict, where, tuple(_notes(work, request, judgement)))


def _notes(work: WorkInCells, request: Request, judgement: Judgement) -> Sequence[str]:
    """Say what else the learner should know about how the cells were judged."""
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


def _remember(work: WorkInCells, judgement: Judgement, result: Result) -> bool:
    """Remember a verdict for the board, for hints and later exercises; return False if it fails."""
    work.progress.note(_with_mistake(judgement, result), judgement.digest)
    return work.progress.save()


def _with_mistake(judgement: Judgement, result: Result) -> ExerciseVerdict:
    return replace(judgement.verdict, diagnosis=result.verdict.diagnosis)


def judge(work: WorkInCells, request: Request, seconds: float = TIME_LIMIT) -> Judgement:
    """Judge all claims of the exercise that was asked for."""
    exercise, target = request.exercise, work.target(request.exercise)
    if unjudged := at_sight(exercise, target):
        return Judgement(ExerciseVerdict(exercise.slug, (unjudged,)), {}, "", "")
    by_claim, printed = findings(request, target, seconds)
    claims = tuple(finding.verdict for finding in by_claim.values())
    verdict = ExerciseVerdict(exercise.slug, claims, target.stand_ins(exercise.slug))
    first = part(verdict, request).first_wrong
    verdict = replace(verdict, printed=printed.get(first.name, "") if first else "")
    source = target.source(exercise.slug)
    return Judgement(verdict, by_claim, source.text, target.digest(exercise.slug))


def findings(
    request: Request, target: "Target", seconds: float = TIME_LIMIT
) -> "tuple[dict[str, Finding], dict[str, str]]":
    """Return the finding of every claim, and what its last call has printed."""
    from kata.judging.judge import suite
    from kata.notebook.isolation import ListeningAttempt, listening

    by_claim, printed = {}, {}
    attempt = ListeningAttempt(request.exercise, target)
    with listening(attempt) as prints:
        for claim in suite(request.exercise):
            prints.forget()
            by_claim[claim.id] = _find(claim, attempt, seconds)
            printed[claim.id] = prints.end
            if not by_claim[claim.id].verdict.held:
                _read_sights(by_claim.values())
    return by_claim, printed


def _read_sights(findings: "Iterable[Finding]") -> None:
    """Read what the claims saw, which only a diagnosis needs, before later calls may change it."""
    for finding in findings:
        finding.sights  # noqa: B018  # a cached property


def _find(claim: "Claim", attempt: "ListeningAttempt", seconds: float) -> "Finding":
    """Check a claim; if it takes too long, it fails with the lines that it had reached."""
    from kata.diagnosis.observe import Finding, called, sights
    from kata.judging.judge import case_of, check, timed_out

    case = case_of(claim, attempt.exercise)
    # No command can open a claim about cells.
    case.place = ""
    try:
        with waiting(seconds * PATIENCE), computing(seconds):
            verdict = check(claim, attempt, case)
    except OutOfTimeError as error:
        verdict = timed_out(claim, attempt, case, error, str(error), seconds)
    return Finding(verdict, called(case), lambda: sights(case.events))


def part(verdict: ExerciseVerdict, request: Request) -> ExerciseVerdict:
    """Return the claims of the request; all of them, if the file as a whole cannot be judged."""
    if verdict.is_whole or not request.name:
        return verdict
    return replace(verdict, claims=tuple(c for c in verdict.claims if request.concerns(c.name)))


def diagnosis_of(judgement: Judgement, request: Request) -> Diagnosis | None:
    """Return the mistake of the catalogue behind the claims of the request, if there is one."""
    from kata.diagnosis.diagnose import diagnose

    about = {
        name: finding for name, finding in judgement.findings.items() if request.concerns(name)
    }
    return diagnose(request.exercise, about, text=judgement.text) if about else None


class CellTranslator:
    """A translator of messages about a file that was assembled from cells."""

    def __init__(self, exercise: Exercise, assembly: Assembly) -> None:
        self._file = exercise.filename
        self._places = assembly.places

    def verdict(self, exercise_verdict: ExerciseVerdict) -> ExerciseVerdict:
        """Return the same verdict about cells."""
        return replace(exercise_verdict, claims=tuple(map(self._claim, exercise_verdict.claims)))

    def _claim(self, claim_verdict: ClaimVerdict) -> ClaimVerdict:
        # Late, because it imports numpy.
        from kata.judging.attempt import not_importable

        message = claim_verdict.message
        if message is None or claim_verdict.state is State.SKIPPED:
            return claim_verdict
        if message.claim == not_importable(self._file):
            claim = "your cells raise an error when they are run in a fresh process"
        else:
            claim = self._without_file(message.claim)
        frames = [self._frame(frame) for frame in message.frames]
        evidence = self._not_written(message) or self._without_file(message.evidence)
        message = replace(message, claim=claim, evidence=evidence, frames=frames)
        return replace(claim_verdict, message=message)

    def where(self, line: int) -> str:
        """Return the place of a line in the notebook; empty if it is of no cell."""
        return place(*self._places[line]) if line in self._places else ""

    def _without_file(self, text: str) -> str:
        return text.replace(self._file, THIS_NOTEBOOK)

    def _not_written(self, message: Message) -> str:
        """Say which line still raises; return "" for any other message."""
        from kata.judging.attempt import NotWrittenError

        for line in filter(None, [message.line]):
            name = message.evidence.split("`")[1] if "`" in message.evidence else ""
            if message.evidence == str(NotWrittenError(name, line)):
                where = self.where(line)
                why = f"{where} still raises" if where else "no cell defines it"
                return f"`{name}` is not written yet: {why}"
        return ""

    def _frame(self, text: str) -> str:
        """Translate a call of a traceback, which may be of the file of an earlier exercise."""
        match = FRAME.match(text)
        if not match or not match["file"].endswith(self._file):
            return text
        where = self.where(int(match["line"]))
        return f"{where or THIS_NOTEBOOK} in {text[match.end() :]}"
