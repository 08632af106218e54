"""What was earned, what took the rest, and what changed it afterwards, as data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from kata.text import Bounded


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
