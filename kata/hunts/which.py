"""A failing claim and four mistakes: which of them is behind it?

Nothing here is written by hand: the evidence comes from judging the wrong answer, and the other
three give other evidence in the same claim, in every way of spelling them that is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.diagnosis.records import usually
from kata.hunts.evidence import Evidence, always_differs, claims_of, compared, judged
from kata.hunts.places import place
from kata.judging.judge import Claim
from kata.verdict import Message, State

LETTERS = "abcd"
NEAREST = 9  # of the mistakes that are most like the right one, from which the others are drawn


@dataclass(frozen=True)
class Option:
    """A mistake that may be the one, and what the claim shows of it."""

    bug: Bug
    evidence: Evidence


@dataclass(frozen=True)
class Which:
    """A hunt for the mistake behind a message."""

    exercise: Exercise
    claim: Claim
    bug: Bug
    options: tuple[Option, ...]

    @property
    def right(self) -> str:
        """The letter of the right option."""
        return next(letter for letter, option in self.lettered.items() if option.bug is self.bug)

    @property
    def lettered(self) -> dict[str, Option]:
        """The options by their letters."""
        return dict(zip(LETTERS, self.options, strict=True))

    @property
    def message(self) -> Message:
        """What the author of the mistake would read."""
        return self.lettered[self.right].evidence.message


def which(exercise: Exercise, bug: Bug, seed: int) -> Which | None:
    """The hunt for this mistake; none if too few others can be told from it by its evidence."""
    made = (each for claim in _fit(exercise, bug) for each in _made(claim, exercise, bug, seed))
    return next(made, None)


def some_which(exercise: Exercise, seed: int) -> Which | None:
    """A hunt for any mistake of the exercise: the same for the same seed."""
    shuffled = list(bugs(exercise))
    Random(f"{exercise.slug} {seed}").shuffle(shuffled)
    return next(filter(None, (which(exercise, bug, seed) for bug in shuffled)), None)


def no_which(exercise: Exercise) -> str:
    """What is said where there is none."""
    return f"{exercise.slug}: there is no such hunt"


def _fit(exercise: Exercise, bug: Bug) -> list[Claim]:
    """A mistake that keeps state shows different things of itself at different times."""
    return [] if bug.remembers else claims_of(exercise, bug)[:1]


def _made(claim: Claim, exercise: Exercise, bug: Bug, seed: int) -> Iterator[Which]:
    mine = judged(exercise, bug, claim)
    if mine.held or not mine.text or mine.finding.verdict.state is State.BLOCKED:
        return
    drawn = Random(f"{exercise.slug} {bug.slug} {seed}")
    others = list(islice(_others(exercise, bug, claim), NEAREST))
    if len(others) < len(LETTERS) - 1:
        return
    wrong = drawn.sample(others, len(LETTERS) - 1)
    options = [
        Option(bug, mine),
        *(Option(each, compared(exercise, each, claim)) for each in wrong),
    ]
    drawn.shuffle(options)
    yield Which(exercise, claim, bug, tuple(options))


def _others(exercise: Exercise, bug: Bug, claim: Claim) -> Iterator[Bug]:
    """The most plausible first. No two of them have the same title."""
    mine, titles = judged(exercise, bug, claim), {bug.title}
    for other in _by_likeness(exercise, bug):
        if other.title not in titles and always_differs(exercise, other, claim, mine):
            titles.add(other.title)
            yield other


@lru_cache(maxsize=64)
def _by_likeness(exercise: Exercise, bug: Bug) -> tuple[Bug, ...]:
    """The other mistakes: those in the same function first, and that fail the same claims."""
    others = [each for each in bugs(exercise) if each is not bug and not each.remembers]
    fair = [
        other for other in others if other.slug not in bug.twins and bug.slug not in other.twins
    ]
    return tuple(sorted(fair, key=lambda each: _distance(exercise, bug, each)))


def _distance(exercise: Exercise, one: Bug, other: Bug) -> tuple[bool, bool, float]:
    here, there = place(exercise, one), place(exercise, other)
    return here != there, one.claim != other.claim, -_overlap(exercise, one, other)


def _overlap(exercise: Exercise, one: Bug, other: Bug) -> float:
    """The share of their failing claims that both fail; nothing if it is not recorded."""
    mine, theirs = usually(exercise, one, 0), usually(exercise, other, 0)
    if not mine or not theirs:
        return 0.0
    both = mine.failing & theirs.failing
    return len(both) / max(1, len(mine.failing | theirs.failing))
