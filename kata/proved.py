"""The findings about the tests that a learner wrote, as data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from kata.text import Bounded

PROOF = "proof "  # before the exercise, where its proof is meant


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
