"""Propose wrong answers for level 1: `python -m kata.upkeep.levels.propose ex05`.

Each should stand for one trap. People choose in the end; this only sorts: real ones first, those
that many people met before others, and none that the claims can hardly tell from one chosen before.
"""

import sys
from collections.abc import Iterator

from kata.course.catalogue import REPRODUCED, Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.upkeep.levels.examples import caught_by_examples
from kata.upkeep.levels.traps import asked_for, concerns, kills

ENOUGH = 10
LIKENESS = 6.0  # how many people's sightings it takes to make up for failing the same claims


def proposed(exercise: Exercise) -> list[Bug]:
    """Ten wrong answers; every function and class has its share of them."""
    found: list[Bug] = []
    while len(found) < ENOUGH and (left := [b for b in bugs(exercise) if b not in found]):
        wanted = _least_covered(exercise, found)
        about = [bug for bug in left if wanted in concerns(exercise, bug)] or left
        found.append(max(about, key=lambda bug: _worth(exercise, bug, found)))
    return found


def _least_covered(exercise: Exercise, found: list[Bug]) -> str:
    covered = [name for bug in found for name in concerns(exercise, bug)]
    return min(asked_for(exercise), key=covered.count)


def _worth(exercise: Exercise, bug: Bug, found: list[Bug]) -> float:
    """How often it was seen, less what it has in common with the nearest of those found."""
    alike = max((_likeness(exercise, bug, each) for each in found), default=0.0)
    return min(len(_seen(bug)), 3) - LIKENESS * alike


def _likeness(exercise: Exercise, one: Bug, other: Bug) -> float:
    """The share of the claims that both fail, of those that either fails."""
    mine, theirs = kills(exercise, one), kills(exercise, other)
    return len(mine & theirs) / max(len(mine | theirs), 1)


def _seen(bug: Bug) -> list[str]:
    return [text for text in bug.seen_in if text != REPRODUCED]


def table(exercise: Exercise) -> Iterator[str]:
    """A line for each wrong answer; `*` is proposed, `1` chosen, `e` caught by the examples."""
    chosen = proposed(exercise)
    by_examples = set(caught_by_examples(exercise, bugs(exercise)))
    for bug in sorted(bugs(exercise), key=lambda bug: not bug.is_real):
        marks = f"{'*' if bug in chosen else ' '}{bug.level or ' '}"
        marks += f"{'e' if bug in by_examples else ' '}{len(_seen(bug)):2}"
        about = ",".join(sorted(concerns(exercise, bug)))
        yield f"{marks} {len(kills(exercise, bug)):3} {about:20} {bug.slug}: {bug.title}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print("\n".join(table(exercise_named(name))))
