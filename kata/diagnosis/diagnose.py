"""Which known mistakes explain what was seen.

The claims that were made about a learner's work are made again about every wrong answer of the
catalogue that can explain them: one with the learner's verdicts, whose failing claims also saw the
learner's numbers, is named; else the one that comes nearest. Nothing here runs while all claims
hold.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from kata.course.curriculum import Exercise
from kata.diagnosis.each import by_cost
from kata.diagnosis.observe import Finding
from kata.diagnosis.parts import Named, parts
from kata.diagnosis.search import Search
from kata.diagnosis.suspects import Suspects
from kata.verdict import Diagnosis, State

JUDGED = {State.PASSED, State.FAILED, State.ERROR}


def diagnose(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> Diagnosis | None:
    """The known mistakes to look at first, which explain these findings, if any do.

    Args:
        exercise: whose claims they are.
        findings: by the ids of the claims, in any order; those without a result are ignored.
        suspects: a cache for callers that diagnose many submissions: each is replayed once.
        text: the answer itself, which decides where results leave a choice.
    """
    whole = _search(exercise, findings, suspects)
    with no_collecting():
        named = next(filter(None, _named(whole, text)), None) if whole.failing else None
    return named.diagnosis if named else None


def diagnose_each(
    exercise: Exercise,
    findings: Mapping[str, Finding],
    suspects: Suspects | None = None,
    text: str = "",
) -> tuple[Diagnosis, ...]:
    """The same for each function by itself, each mistake with the claims that fail by it.

    What explains most of the claims that fail comes first.
    """
    whole = _search(exercise, findings, suspects)
    if not whole.failing:
        return ()
    with no_collecting():
        return tuple(by_cost(whole, text, _named(whole, text)))


def _search(
    exercise: Exercise, findings: Mapping[str, Finding], suspects: Suspects | None
) -> Search:
    judged = {
        each: finding for each, finding in findings.items() if finding.verdict.state in JUDGED
    }
    return Search(suspects or Suspects(exercise), judged)


@contextmanager
def no_collecting() -> Iterator[None]:
    """Garbage can wait for half a second; looking for it would take a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _named(whole: Search, text: str) -> Iterator[Named | None]:
    """What explains most of what fails first, surely; then less, and less surely."""
    every = list(parts(whole, text))
    first = [part for part in every if whole.first in part.search.failing]
    yield from (part.surely() for part in first)
    yield every[0].crash()
    yield from (part.first_claim() for part in first)
    yield every[0].kind()
    yield from (part.surely() for part in every if part not in first)
    yield every[0].change()
