"""What was earned, what took the rest, and what a learner's own tests are worth, as data."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from kata.text import Bounded

PROOF = "proof "  # before the exercise, where its proof is meant


@dataclass(frozen=True)
class Charge:
    """Points that are taken off: for the mistakes of these slugs, or for claims if there are none.

    Several mistakes at once cannot be told apart.
    """

    mistakes: tuple[str, ...]
    points: float


@dataclass(frozen=True)
class Mark:
    """What an exercise is worth, how much of it was earned, and what took the rest."""

    score: float
    most: float
    charges: tuple[Charge, ...] = ()


@dataclass(frozen=True)
class Adjustment(Bounded):
    """A change of a mark that no claim made: work that came late, or what an instructor decided.

    Args:
        kind: how it came about.
        before: points before it.
        after: points after it; the same if there is only a comment.
        slug: the exercise; empty if it is about the score as a whole.
        cause: what the author may read of it, beside the points.
        comment: of the instructor, for the author.
        reason: of the instructor, for instructors alone.
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
        """How many points it gives, or takes if there are fewer than none."""
        return round(self.after - self.before, 4)


@dataclass(frozen=True)
class Scale:
    """What a score is called, beside its points.

    Args:
        steps: the least percentage of each grade, the best first; none for percentages alone.
    """

    steps: tuple[tuple[float, str], ...] = ()

    def percent(self, score: float, most: float) -> float:
        """The score in percent, to one digit after the point."""
        return round(100 * score / most, 1) if most else 0.0

    def names(self, score: float, most: float) -> Iterator[tuple[str, str]]:
        """The percentage and the grade, each with what it is."""
        percent = self.percent(score, most)
        yield "percent", f"{percent:.1f}".removesuffix(".0")
        if self.steps:
            yield "grade", next(name for least, name in self.steps if percent >= least)


class Outcome(StrEnum):
    """What a test is worth."""

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
        name: of its function.
        line: where it begins.
        outcome: what it is worth.
        catches: the wrong answers that fail it, if it counts.
        answer: the right answer that it refuses.
        because: the sentence of the contract that makes that one right.
        error: what it raises on that one, or why it does not count.
        at: the line of the proof that raises it.
    """

    longest: ClassVar[dict[str, int]] = {
        **{"name": 100, "answer": 100, "because": 500, "error": 500, "catches": 100}
    }
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
    """One proof: its tests, and the wrong answers that they were to catch.

    Attributes:
        slug: of the exercise.
        traps: the wrong answers of level 1, each with its title.
        tests: all that it has.
        problem: why it could not be judged.
    """

    longest: ClassVar[dict[str, int]] = {"problem": 500}

    slug: str
    traps: tuple[tuple[str, str], ...] = ()
    tests: tuple[ProvedTest, ...] = ()
    problem: str = ""

    @property
    def refusing(self) -> tuple[ProvedTest, ...]:
        """Tests that refuse a right answer."""
        return tuple(test for test in self.tests if test.outcome is Outcome.REFUSES)

    @property
    def caught(self) -> frozenset[str]:
        """The traps that any test catches."""
        return frozenset(slug for test in self.tests for slug in test.catches)

    @property
    def missed(self) -> tuple[str, ...]:
        """The titles of those that none does."""
        return tuple(title for slug, title in self.traps if slug not in self.caught)

    @property
    def share(self) -> float:
        """The mark: the share that is caught, and nothing if a right answer is refused."""
        if self.refusing or not self.traps:
            return 0.0
        return len(self.caught) / len(self.traps)

    @property
    def begun(self) -> bool:
        """Whether there is anything but the stub."""
        written = (test.outcome is not Outcome.NOT_WRITTEN for test in self.tests)
        return bool(self.problem) or any(written)
