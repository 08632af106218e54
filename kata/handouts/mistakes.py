"""Which mistakes of the catalogue the handouts show, and in which order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from kata.course.catalogue import REPRODUCED, Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import contract, function_at, read
from kata.judging.judge import suite


@dataclass(frozen=True)
class Common:
    """A mistake and where it was seen, in this exercise and in others under other names."""

    exercise: Exercise
    bug: Bug
    seen_in: frozenset[str]


def sightings(bug: Bug) -> frozenset[str]:
    """The documents and public threads in which it was seen."""
    return frozenset(each for each in bug.seen_in if each != REPRODUCED)


@cache
def traps(exercise: Exercise) -> tuple[Bug, ...]:
    """One mistake for each claim, the most often seen first: those that a class will make."""
    often = sorted(bugs(exercise), key=lambda bug: -len(sightings(bug)))
    first: dict[str, Bug] = {}
    for bug in often:
        first.setdefault(bug.claim, bug)
    return tuple(first.values())


def made_in(exercise: Exercise, bug: Bug) -> str:
    """The function or class that contains the mistake; "" if the exercise has only one."""
    solution, names = read(exercise.solution), contract(exercise).names
    line = 1 + solution.text[: solution.text.index(bug.change[0][0])].count("\n")
    name = function_at(solution, line)
    return name if len(names) > 1 and name in names else ""


def by_claim(exercise: Exercise) -> Iterator[tuple[str, tuple[Bug, ...]]]:
    """The sentence of each claim in the suite's order, and the mistakes that break it first."""
    for name, sentence in claims(exercise).items():
        found = tuple(bug for bug in bugs(exercise) if bug.claim == name)
        if found:
            yield sentence, found


def claims(exercise: Exercise) -> dict[str, str]:
    """All that each claim of the suite says, by its name, in their order."""
    told = {claim.name: claim.function.__doc__ or "" for claim in suite(exercise)}
    return {name: " ".join(text.split()) for name, text in told.items()}


def most_common(count: int, chosen: Iterable[Exercise]) -> list[Common]:
    """The mistakes seen in most places; those that share a sighting count as one."""
    left = [(each, bug) for each in chosen for bug in bugs(each) if sightings(bug)]
    left.sort(key=lambda pair: -len(sightings(pair[1])))
    found: list[Common] = []
    while left and len(found) < count:
        exercise, bug = left[0]
        same = [(each, other) for each, other in left if sightings(other) & sightings(bug)]
        places = frozenset().union(*(sightings(other) for _, other in same))
        found.append(Common(exercise, bug, places))
        left = [pair for pair in left if pair not in same]
    return sorted(found, key=lambda common: -len(common.seen_in))
