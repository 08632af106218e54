"""Level 1 is worth catching: the promises that it keeps. Each gate yields a complaint."""

from collections.abc import Iterator
from itertools import combinations

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.upkeep.levels.examples import caught_by_examples
from kata.upkeep.levels.traps import LEVEL, asked_for, concerns, kills, level_1

FEWEST, MOST = 8, 12
REAL_SHARE = EASY_SHARE = 0.5


def level_1_is_whole(exercise: Exercise) -> Iterator[str]:
    """Eight to twelve traps about every function and class, no two caught by the same claims.

    An exercise may have no level 1 yet; `kata check` notes that.
    """
    for bug in bugs(exercise):
        if bug.level not in (0, LEVEL):
            yield f"{bug.slug} has the level {bug.level}; only {LEVEL} is written down"
    if not (chosen := level_1(exercise)):
        return
    if not FEWEST <= len(chosen) <= MOST:
        yield f"{len(chosen)} wrong answers are of level 1, not {FEWEST} to {MOST}"
    covered = {name for bug in chosen for name in concerns(exercise, bug)}
    for name in asked_for(exercise):
        if name not in covered:
            yield f"no wrong answer of level 1 is about {name}"
    for one, other in combinations(chosen, 2):
        if kills(exercise, one) == kills(exercise, other):
            yield f"{one.slug} and {other.slug} are both of level 1, and the same claims catch them"


def level_1_is_real(exercise: Exercise) -> Iterator[str]:
    """Half of it happened to somebody, or all that did, if the catalogue has fewer."""
    chosen = level_1(exercise)
    real = sum(bug.is_real for bug in chosen)
    there = sum(bug.is_real for bug in bugs(exercise))
    if real < min(REAL_SHARE * len(chosen), there):
        yield f"{real} of {len(chosen)} wrong answers of level 1 happened to somebody"


def examples_are_not_enough(exercise: Exercise) -> Iterator[str]:
    """Less than half of level 1 is caught by the examples that the docstrings give away."""
    chosen = level_1(exercise)
    caught = [bug.slug for bug in caught_by_examples(exercise, chosen)]
    if chosen and len(caught) >= EASY_SHARE * len(chosen):
        text = f"{len(caught)} of {len(chosen)}: {', '.join(caught)}"
        yield f"the examples in the docstrings catch half of level 1 or more, {text}"
