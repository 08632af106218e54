"""An answer as its suite judged it, with everything that the suite saw."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from kata.course.curriculum import Exercise
from kata.course.target import Target
from kata.diagnosis.trace import CallSeen, same_sights, sights
from kata.judging.attempt import Attempt
from kata.judging.case import Case
from kata.judging.judge import Claim, case_of, check, suite
from kata.verdict import ClaimVerdict, ExerciseVerdict, State


@dataclass(frozen=True)
class Finding:
    """One claim as it was judged, what it called, and what the suite saw on the way."""

    verdict: ClaimVerdict
    called: frozenset[str]
    look: Callable[[], list[CallSeen]]

    @cached_property
    def sights(self) -> list[CallSeen]:
        """What the suite saw, which takes time to bring into its form."""
        return self.look()

    def looks_like(self, other: "Finding") -> bool:
        """Whether the suite saw the same things and came to the same verdict."""
        return self.verdict.state == other.verdict.state and same_sights(self.sights, other.sights)


def finding(verdict: ClaimVerdict, case: Case) -> Finding:
    """A verdict with what its claim saw, which later calls may change."""
    seen = sights(case.events)
    return Finding(verdict, called(case), lambda: seen)


def called(case: Case) -> frozenset[str]:
    """The functions that a claim has called."""
    names = (re.match(r"\w+", event.label) for event in case.events)
    return frozenset(name[0] for name in names if name and name[0] != "gradient")


def find(claim: Claim, attempt: Attempt) -> Finding:
    """Check one claim, and keep what was seen."""
    case = case_of(claim, attempt.exercise)
    return finding(check(claim, attempt, case), case)


@dataclass(frozen=True)
class Observation:
    """The findings of a whole suite, by the ids of its claims."""

    slug: str
    findings: dict[str, Finding]

    @cached_property
    def verdict(self) -> ExerciseVerdict:
        """What the suite says."""
        return ExerciseVerdict(self.slug, tuple(each.verdict for each in self.findings.values()))

    def looks_like(self, other: "Observation") -> bool:
        """Whether the suite saw the same of both; different verdicts tell them apart at once."""
        telling = sorted(self.findings.items(), key=lambda pair: pair[1].verdict.held)
        return self.states == other.states and all(
            mine.looks_like(other.findings[claim]) for claim, mine in telling
        )

    @cached_property
    def states(self) -> list[State]:
        """The outcome of every claim."""
        return [each.verdict.state for each in self.findings.values()]

    @property
    def first(self) -> str:
        """The claim that fails first, without its device."""
        failed = self.verdict.first_failure
        return failed.plain_name if failed else ""


def observe(exercise: Exercise, target: Target) -> Observation:
    """Judge every claim, and keep what was seen."""
    attempt = Attempt(exercise, target)
    return Observation(exercise.slug, {claim.id: find(claim, attempt) for claim in suite(exercise)})
