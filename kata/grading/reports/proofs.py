"""What a proof is worth, in words: for its author, and for whoever graded it."""

from collections.abc import Iterator

from kata.course.curriculum import exercises
from kata.proved import Outcome, Proved, ProvedTest
from kata.words import say

REMARKED = {Outcome.RANDOM, Outcome.SLOW, Outcome.BROKEN}


def told(proved: Proved) -> Iterator[str]:
    """For its author: right answers that it refuses come first. No trap is named."""
    if proved.problem:
        yield say("reports.proof-problem", problem=proved.problem)
        return
    yield from map(_refusal, proved.refusing)
    for each in proved.tests:
        if each.outcome in REMARKED:
            yield say("reports.proof-remark", name=each.name, reason=each.error)
    counts = {"caught": len(proved.caught), "all": len(proved.traps)}
    yield say(
        "reports.proof-counts-nothing" if proved.refusing else "reports.proof-caught", **counts
    )


def _refusal(test: ProvedTest) -> str:
    key = "reports.proof-refuses-because" if test.because else "reports.proof-refuses"
    about = {"name": test.name, "answer": test.answer, "error": test.error, "line": test.at}
    return say(key, **about, because=test.because)


def title(proved: Proved) -> str:
    """Which proof it is."""
    exercise = exercises()[proved.slug]
    return say("reports.proof-of", short=exercise.short, title=exercise.title)
