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
from kata.diagnosis.suspects import Record, record_of
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, suite

Some = tuple[Bug, ...] | None  # these wrong answers; None for all that there are


@lru_cache(maxsize=1)
def observe_bugs(exercise: Exercise, some: Some = None) -> list[tuple[Bug, Observation]]:
    """Judge each bug that can be applied; another gate complains about the others."""
    observed = []
    for bug in bugs(exercise) if some is None else some:
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
    claims = {claim.id: _found(claim, attempt, record) for claim in suite(exercise)}
    return Observation(exercise.slug, claims)


def _found(claim: Claim, attempt: Attempt, record: Record) -> Finding:
    """With the verdict of the reference where it is recorded to hold, and the same calls."""
    if not record.holds(claim.id):
        return find(claim, attempt)
    right = _right(attempt.exercise).findings[claim.id]
    return Finding(right.verdict, right.called, lambda: find(claim, attempt).sights)


def observe_near(exercise: Exercise, some: Some) -> list[tuple[Bug, Observation]]:
    """Judge these, and all that might be taken for one of them, in file order.

    Those are its twins, and the ones that fail exactly the same claims: if a claim holds for one
    and not for the other, their states differ, so that neither `looks_like` the other, and a search
    gives up the other before it compares anything else. Every form counts, as every form is a
    suspect. So the result for any two others is as it was.
    """
    return observe_bugs(exercise, None if some is None else near(exercise, some))


def near(exercise: Exercise, some: tuple[Bug, ...]) -> tuple[Bug, ...]:
    """These, and all that might be taken for one of them, in file order."""
    failed = {each for bug in some for each in _failed(exercise, bug)}
    slugs = {slug for bug in some for slug in (bug.slug, *bug.twins)}
    twins = {bug.slug for bug in some}
    return tuple(
        bug
        for bug in bugs(exercise) if some
        and (bug.slug in slugs or twins & {*bug.twins} or failed & {*_failed(exercise, bug)})
    )  # fmt: skip


def _failed(exercise: Exercise, bug: Bug) -> list[frozenset[str]]:
    """The claims that each form of it fails, as far as they are recorded."""
    records = (record_of(exercise, bug, form) for form in range(len(bug.forms)))
    return [record.failing for record in records if record]


@lru_cache(maxsize=1)
def _right(exercise: Exercise) -> Observation:
    return observe(exercise, reference())
