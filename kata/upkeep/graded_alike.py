"""Two more gates: the grader's worker processes give the same verdicts as judging right here."""

import atexit
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from kata.course.catalogue import target_of, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.diagnosis.observe import Observation
from kata.diagnosis.search import CLOSE, alike
from kata.upkeep.gates import misnamed, observe_answers, suspects_of
from kata.upkeep.observing import observe_bugs

if TYPE_CHECKING:
    from kata.grading.judge import Judge

# Wrong answers of which a worker's process judges some claims otherwise: gradients that reach an
# earlier call through what a module has kept of it, and memory that was never written.
OTHERWISE = {
    ("ex22", "cache-of-the-last-call"),
    ("ex22", "one-network-for-all-blocks"),
    ("ex28", "parts-shared-by-layers"),
}
LONG = 3600  # seconds; nothing here is meant to run out of time


def every_bug_is_graded_alike(exercise: Exercise) -> Iterator[str]:
    """Each bug gets the same verdict on every claim in a worker process, and the same diagnosis.

    Some that keep state may get another verdict on a claim, but are not judged right there either.
    """
    suspects = suspects_of(exercise)
    for bug, here in observe_bugs(exercise):
        there = graded(exercise, wrong_answer(exercise, bug))
        if (exercise.short, bug.slug) in OTHERWISE:
            if not there.first:
                yield f"{bug.slug}: is judged right in a process of its own"
            continue
        yield from (f"{bug.slug}: {difference}" for difference in _differences(here, there))
        yield from misnamed(exercise, bug, there, suspects)


def every_right_answer_is_graded_alike(exercise: Exercise) -> Iterator[str]:
    """So do the stub, the solution and the right answers in other styles."""
    for path, here in observe_answers(exercise):
        differences = _differences(here, graded(exercise, read(path).text))
        yield from (f"{path.parent.name}/{path.name}: {difference}" for difference in differences)


def _differences(here: Observation, there: Observation) -> Iterator[str]:
    for claim, finding in there.findings.items():
        if not alike(here.findings[claim], finding, CLOSE):
            states = here.findings[claim].verdict.state, finding.verdict.state
            yield f"{claim} is judged {' here, '.join(states)} in a process of its own"


def graded(exercise: Exercise, text: str) -> Observation:
    """Judge all claims on this text, whose code runs in a worker process, as the grader does."""
    judge, target = _judge(), target_of(exercise, text)
    judge.prepare(target, [exercise])
    findings = judge.observed(exercise, target, time.monotonic() + LONG).findings
    return Observation(exercise.slug, findings)


@cache
def _judge() -> "Judge":
    from kata.grading.judge import judge_for  # with it comes torch
    from kata.grading.options import Options

    judge = judge_for(Options(tuple(exercises()), {}))
    atexit.register(judge.end)
    return judge


PARITY_GATES: tuple[Callable[[Exercise], Iterator[str]], ...] = (
    every_bug_is_graded_alike,
    every_right_answer_is_graded_alike,
)
