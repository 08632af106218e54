"""Two more gates: the grader's worker processes give the same verdicts as judging right here."""

import atexit
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from kata.course.catalogue import target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.diagnosis.observe import Observation
from kata.diagnosis.search import CLOSE, alike
from kata.judging.judge import suite
from kata.judging.limits import TIME_LIMIT
from kata.upkeep.gates import misnamed, observe_answers, observe_bugs, suspects_of

if TYPE_CHECKING:
    from kata.grading.sandbox.launcher import Launcher

LONG = 3600  # seconds; nothing here is meant to run out of time


def every_bug_is_graded_alike(exercise: Exercise) -> Iterator[str]:
    """Each bug gets the same verdict on every claim in a worker process, and the same diagnosis."""
    suspects = suspects_of(exercise)
    for bug, here in observe_bugs(exercise):
        there = graded(exercise, wrong_answer(exercise, bug))
        yield from (f"{bug.slug}: {each}" for each in _differences(here, there))
        yield from misnamed(exercise, bug, there, suspects)


def every_right_answer_is_graded_alike(exercise: Exercise) -> Iterator[str]:
    """So do the stub, the solution and the right answers in other styles."""
    for path, here in observe_answers(exercise):
        differences = _differences(here, graded(exercise, read(path).text))
        yield from (f"{path.parent.name}/{path.name}: {each}" for each in differences)


def _differences(here: Observation, there: Observation) -> Iterator[str]:
    for claim, finding in there.findings.items():
        if not alike(here.findings[claim], finding, CLOSE):
            states = here.findings[claim].verdict.state, finding.verdict.state
            yield f"{claim} is judged {' here, '.join(states)} in a process of its own"


def graded(exercise: Exercise, text: str) -> Observation:
    """Judge all claims on this text, whose code runs in a worker process."""
    from kata.grading.judges.judge_submission import find  # with it comes torch
    from kata.grading.sandbox.remote import RemoteAttempt

    target = target_of(exercise, text)
    attempt = RemoteAttempt(exercise, target, _launcher(), TIME_LIMIT, time.monotonic() + LONG)
    claims = (claim for claim in suite(exercise) if claim.device != "cuda")
    try:
        return Observation(exercise.slug, {each.id: find(each, attempt) for each in claims})
    finally:
        attempt.close()


@cache
def _launcher() -> "Launcher":
    from kata.grading.judges.judge_submission import MIB
    from kata.grading.judges.options import MEMORY
    from kata.grading.sandbox.launcher import Launcher

    launcher = Launcher(MEMORY * MIB, LONG)
    launcher.warm_up()
    atexit.register(launcher.end)
    return launcher


PARITY_GATES: tuple[Callable[[Exercise], Iterator[str]], ...] = (
    every_bug_is_graded_alike,
    every_right_answer_is_graded_alike,
)
