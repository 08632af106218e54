"""Where a group will stall, as far as the catalogue tells: counted there, and in no room."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import contract
from kata.handouts.mistakes import sightings
from kata.hunts.places import place

OTHERS = 3  # mistakes that are told besides those that a page shows


@dataclass(frozen=True)
class Stalls:
    """What is known of the mistakes that count.

    Attributes:
        count: of the mistakes that really happened, or that stand for a trap of their own.
        places: the functions and classes that they are in, with how many, most first.
        others: those seen most often besides the ones that are shown.
    """

    count: int
    places: list[tuple[str, int]]
    others: list[Bug]


def telling(exercise: Exercise) -> tuple[Bug, ...]:
    """The mistakes that really happened to somebody, and those of level 1."""
    return tuple(bug for bug in bugs(exercise) if bug.level == 1 or bug.is_real)


def stalls(exercise: Exercise, shown: Collection[Bug]) -> Stalls:
    """Counted from the catalogue."""
    found = telling(exercise)
    often = sorted(found, key=lambda bug: (-len(sightings(bug)), bug.level != 1))
    others = [bug for bug in often if bug not in shown]
    return Stalls(len(found), list(_places(exercise, found)), others[:OTHERS])


def _places(exercise: Exercise, found: tuple[Bug, ...]) -> Iterator[tuple[str, int]]:
    """None if the exercise asks for one function or class only."""
    asked = {name.partition(".")[0] for name in contract(exercise).names}
    counted = Counter(place(exercise, bug) for bug in found)
    if len(asked) > 1:
        yield from ((name, many) for name, many in counted.most_common() if name in asked)
