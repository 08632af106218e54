"""Marks as data: points, what took the rest, and the worth of a learner's own tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from kata.text import Bounded

PROOF = "proof "  # before the name of an exercise, for its proof


@dataclass(frozen=True)
class Charge:
    """Points that are taken off: for mistakes, by their slugs, or for claims if there are none.

    A charge has several mistakes where no claim can distinguish them.
    """

    mistakes: tuple[str, ...]
    points: float


@dataclass(frozen=True)
class Mark:
    """The score of an exercise, the most that it can be, and the charges that make up the rest."""

    score: float
    most: float
    charges: tuple[Charge, ...] = ()


@dataclass(frozen=True)
class Adjustment(Bounded):
    """A change of a mark that no claim made: work that came late, or what an instructor decided.

    Attributes:
        kind: the kind of change.
        before: the points before it.
        after: the points after it; the same if there is only a comment.
        slug: the exercise; empty if the change is about the score as a whole.
        cause: the reason that the author reads, beside the points.
        comment: the instructor's comment for the author.
        reason: the instructor's reason for instructors alone.
    """

    longest: ClassVar[dict[str, int]] = {"cause": 500, "comment": 2000, "reason": 1000}

    kind: str
    before: float
    after: float
    slug: str = ""
    cause: str = ""
    comment: str = ""
    reason: str = ""

    @property
    def points(self) -> float:
        """The points that it adds; negative if it takes some."""
        return round(self.after - self.before, 4)


@dataclass(frozen=True)
class Scale:
    """The names of a score, beside its points.

    Attributes:
        steps: the least percentages of the grades, the best first; none for percentages alone.
    """

    steps: tuple[tuple[float, str], ...] = ()

    def percent(self, score: float, most: float) -> float:
        """Return the score in percent, to one digit after the point."""
        return round(100 * score / most, 1) if most else 0.0

    def names(self, score: float, most: float) -> Iterator[tuple[str, str]]:
        """Yield the percentage and the grade, with their kinds."""
        percent = self.percent(score, most)
        yield "percent", f"{percent:.1f}".removesuffix(".0")
        if self.steps:
            yield "grade", next(name for least, name in self.steps if percent >= least)


class Outcome(StrEnum):
    """The outcome of a test."""

    COUNTS = "counts"
    NOT_WRITTEN = "not written"
    REFUSES = "refuses a right answer"
    RANDOM = "random"  # it depends on more than the answers that it gets
    SLOW = "slow"
    BROKEN = "broken"  # it raises the same on every right answer, or ends its process


@dataclass(frozen=True)
class ProvedTest(Bounded):
    """One test of a proof.

    Attributes:
        name: the name of its function.
        line: the line where it begins.
        outcome: whether it counts, or why not.
        catches: the wrong answers that fail it, if it counts.
        answer: the right answer that it refuses.
        because: the sentence of the contract that makes this answer right.
        error: the error that it raises on this answer, or the reason why it does not count.
        at: the line of the proof that raises it.
    """

    longest: ClassVar[dict[str, int]] = {
        "name": 100, "answer": 100, "because": 500, "error": 500, "catches": 100
    }  # fmt: skip
    at_most: ClassVar[dict[str, int]] = {"catches": 100}

    name: str
    line: int
    outcome: Outcome
    catches: tuple[str, ...] = ()
    answer: str = ""
    because: str = ""
    error: str = ""
    at: int = 0


@dataclass(frozen=True)
class Proved(Bounded):
    """One proof: its tests, and the wrong answers that they should catch.

    Attributes:
        slug: the exercise.
        traps: the wrong answers of level 1, with their titles.
        tests: the tests.
        problem: the reason why it could not be judged.
    """

    longest: ClassVar[dict[str, int]] = {"problem": 500}

    slug: str
    traps: tuple[tuple[str, str], ...] = ()
    tests: tuple[ProvedTest, ...] = ()
    problem: str = ""

    @property
    def refusing(self) -> tuple[ProvedTest, ...]:
        """The tests that refuse a right answer."""
        return tuple(test for test in self.tests if test.outcome is Outcome.REFUSES)

    @property
    def caught(self) -> frozenset[str]:
        """The traps that any test catches."""
        return frozenset(slug for test in self.tests for slug in test.catches)

    @property
    def missed(self) -> tuple[str, ...]:
        """The titles of the traps that no test catches."""
        return tuple(title for slug, title in self.traps if slug not in self.caught)

    @property
    def share(self) -> float:
        """The share of traps that are caught; nothing if a right answer is refused."""
        if self.refusing or not self.traps:
            return 0.0
        return len(self.caught) / len(self.traps)

    @property
    def begun(self) -> bool:
        """True if there is anything but the stub."""
        written = (test.outcome is not Outcome.NOT_WRITTEN for test in self.tests)
        return bool(self.problem) or any(written)
