"""How known wrong answers fare, without judging again what their records say.

A claim that is recorded to hold for a wrong answer is judged only if somebody asks what it saw.
`records_are_true`, a gate of its own, judges everything and proves the records.
"""

from contextlib import suppress
from functools import lru_cache

from kata.course.catalogue import Bug, CatalogueError, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.target import reference
from kata.diagnosis.observe import Finding, Observation, find, observe
from kata.diagnosis.records import Record, record_of
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, suite


@lru_cache(maxsize=1)
def observe_bugs(exercise: Exercise) -> list[tuple[Bug, Observation]]:
    """Judge each bug that can be applied; another gate complains about the others."""
    observed = []
    for bug in bugs(exercise):
        with suppress(CatalogueError):
            text = wrong_answer(exercise, bug)
            observed.append((bug, _observed(exercise, bug, text)))
    return observed


def _observed(exercise: Exercise, bug: Bug, text: str) -> Observation:
    """One with memory is judged as a whole: what a claim sees may depend on those before it."""
    record, target = record_of(exercise, bug, 0), target_of(exercise, text)
    if not record or bug.remembers:
        return observe(exercise, target)
    attempt = Attempt(exercise, target)
    claims = {each.id: _found(each, attempt, record) for each in suite(exercise)}
    return Observation(exercise.slug, claims)


def _found(claim: Claim, attempt: Attempt, record: Record) -> Finding:
    """With the verdict of the reference where it is recorded to hold, and the same calls."""
    if not record.holds(claim.id):
        return find(claim, attempt)
    right = _right(attempt.exercise).findings[claim.id]
    return Finding(right.verdict, right.called, lambda: find(claim, attempt).sights)


@lru_cache(maxsize=1)
def _right(exercise: Exercise) -> Observation:
    return observe(exercise, reference())
