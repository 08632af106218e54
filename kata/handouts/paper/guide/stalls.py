"""Where a group will stall, as far as the catalogue tells: counted there, and in no room."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import contract
from kata.handouts.mistakes import sightings
from kata.hunts.places import place

OTHERS = 3  # mistakes in words, besides those that a page prints


@dataclass(frozen=True)
class Stalls:
    """A summary of the mistakes that count.

    Attributes:
        count: of the mistakes that really happened, or that stand for a trap of their own.
        places: the functions and classes that they are in, with how many, most first.
        others: those seen most often besides the printed ones.
    """

    count: int
    places: list[tuple[str, int]]
    others: list[Bug]


def telling(exercise: Exercise) -> tuple[Bug, ...]:
    """The mistakes that really happened to somebody, and those of level 1."""
    return tuple(bug for bug in bugs(exercise) if bug.level == 1 or bug.is_real)


def stalls(exercise: Exercise, printed: Collection[Bug]) -> Stalls:
    """Count in the catalogue; the page has the `printed` mistakes already."""
    mistakes = telling(exercise)
    often = sorted(mistakes, key=lambda bug: (-len(sightings(bug)), bug.level != 1))
    others = [bug for bug in often if bug not in printed]
    return Stalls(len(mistakes), list(_places(exercise, mistakes)), others[:OTHERS])


def _places(exercise: Exercise, mistakes: tuple[Bug, ...]) -> Iterator[tuple[str, int]]:
    """The places, if the exercise asks for more than one function or class."""
    asked = {name.partition(".")[0] for name in contract(exercise).names}
    counted = Counter(place(exercise, bug) for bug in mistakes)
    if len(asked) > 1:
        yield from ((name, many) for name, many in counted.most_common() if name in asked)
