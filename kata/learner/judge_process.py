"""The process that judges an exercise for a command: it waits, judges, and sends the verdicts.

It is started, and asked, by `waiting_judge`.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.course.curriculum import Exercise, exercises
from kata.course.target import Target, at_sight
from kata.judging.attempt import Attempt
from kata.judging.limits import HAS_CLOCK, OutOfTimeError, computing
from kata.learner.progress import Progress, learner_target
from kata.verdict import ExerciseVerdict, exercise_to_dict

if TYPE_CHECKING:
    from kata.diagnosis.observe import Finding
    from kata.judging.judge import Claim

Find = Callable[["Claim", Attempt], "Finding"]
Messages = Iterator[str | dict[str, Any]]


def serve(
    pipe: Any, folder: Path, printed: Path, limit: float | None, warm: bool, goes_on: bool
) -> None:
    """Import, wait for the name of an exercise, send the verdicts."""
    # It fails where the other side is gone, and with it the file.
    with suppress(EOFError, OSError):
        _redirect(printed)
        if warm:
            # No effect where a fork has it already.
            import kata.learner.preload  # noqa: F401

        # The process exits before a collection would pay.
        gc.disable()
        exercise = exercises()[pipe.recv()]
        find = _find_in_time if goes_on else _find_or_die
        for message in _messages(folder, exercise, printed, partial(find, limit or 0)):
            pipe.send(message)
        pipe.send(None)


def _redirect(printed: Path) -> None:
    out = os.open(printed, os.O_WRONLY | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout = sys.stderr = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115  # until the process ends


def _messages(folder: Path, exercise: Exercise, printed: Path, find: Find) -> Messages:
    """Yield the sentences of claims before they are checked, and the verdict at the end."""
    target = learner_target(folder, Progress(folder))
    if unjudged := at_sight(exercise, target):
        yield exercise_to_dict(ExerciseVerdict(exercise.slug, (unjudged,)))
    else:
        yield from _judged(exercise, target, printed, find)


def _judged(exercise: Exercise, target: Target, printed: Path, find: Find) -> Messages:
    from kata.diagnosis.diagnose import diagnose
    from kata.judging.judge import suite

    attempt, findings, spans = ListeningAttempt(exercise, target), {}, {}
    for claim in suite(exercise):
        yield claim.sentence
        start = printed_so_far()
        findings[claim.id] = find(claim, attempt)
        spans[claim.id] = start, attempt.call, printed_so_far()
    claims = tuple(finding.verdict for finding in findings.values())
    verdict = ExerciseVerdict(exercise.slug, claims, target.stand_ins(exercise.slug))
    if failed := verdict.first_wrong or verdict.first_failure:
        verdict = replace(verdict, printed=prints(printed, *spans[failed.name]))
    yield exercise_to_dict(verdict)
    if named := diagnose(exercise, findings, text=target.source(exercise.slug).text):
        yield exercise_to_dict(replace(verdict, diagnosis=named))


def _find_or_die(limit: float, claim: "Claim", attempt: Attempt) -> "Finding":
    """Check a claim; a timeout ends this process, also in the middle of a call of a library."""
    from kata.diagnosis.observe import find

    _set_clock(limit)
    finding = find(claim, attempt)
    _set_clock(0)
    return finding


def _set_clock(seconds: float) -> None:
    """End this process after so much CPU time."""
    if HAS_CLOCK:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _find_in_time(limit: float, claim: "Claim", attempt: Attempt) -> "Finding":
    """Check a claim as pytest does: one that computes for too long fails with its lines."""
    from kata.diagnosis.observe import finding
    from kata.judging.judge import case_of, check, timed_out

    case = case_of(claim, attempt.exercise)
    try:
        with computing(limit):
            return finding(check(claim, attempt, case), case)
    except OutOfTimeError as error:
        verdict = timed_out(claim, attempt, case, error, str(error), limit)
        return finding(verdict, case)


class ListeningAttempt(Attempt):
    """Remembers how much had been printed when the latest call began."""

    call = 0

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code."""
        self.call = printed_so_far()
        with super().guarded(name):
            yield


def printed_so_far() -> int:
    """Return the size of all prints, in bytes; the standard output is a file."""
    # The learner's code may have closed it.
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    return os.fstat(1).st_size


def prints(path: Path, claim: int, call: int, end: int) -> str:
    """Return what the last call of a claim has printed, or else what the claim has.

    Both are parts of a file: the claim's begin at `claim`, the call's at `call`.
    """
    with path.open("rb") as file:
        file.seek(claim)
        text = file.read(end - claim)
    return (text[call - claim :] or text).decode("utf-8", "replace")
