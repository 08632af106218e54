"""What a room says of the course: its own texts, so that no text of a learner is needed.

Only names that the course has are kept from a message; what is shown beside them stands here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.course.suite_code import about, listed
from kata.diagnosis.evidence.causes import causes
from kata.learner.hints import general


@dataclass(frozen=True)
class MistakeTexts:
    """A mistake of the catalogue: what it is called, and what to ask whoever has made it."""

    title: str
    ask: str


@cache
def mistakes(exercise: Exercise) -> Mapping[str, MistakeTexts]:
    """The mistakes that can be named in this exercise, by slug."""
    general_causes = (mistake for name in ("crashes", "kinds") for _, mistake in causes(name))
    by_slug = {
        mistake.slug: MistakeTexts(mistake.title, mistake.hints[0]) for mistake in general_causes
    }
    return by_slug | {bug.slug: MistakeTexts(bug.title, bug.hints[0]) for bug in bugs(exercise)}


@cache
def claims(exercise: Exercise) -> frozenset[str]:
    """The names of all that its suite claims."""
    return frozenset(name for _, name in listed(exercise))


@cache
def question(exercise: Exercise, claim: str) -> str:
    """What to ask somebody whose mistake is not known; empty if nothing is written, or no claim."""
    return "" if not claim else next(iter(general(exercise, about(exercise, claim))), "")


def read_all() -> None:
    """Read everything at the start, so that no message waits for it."""
    for exercise in exercises().values():
        mistakes(exercise)
        claims(exercise)
