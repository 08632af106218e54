"""The catalogue on paper: what really happened to somebody, and what stands for a trap of its own.

The other mistakes are in the museum, where they can be searched: on paper they would be three more
books, and nobody finds one among four thousand by turning pages.
"""

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import by_claim, sightings
from kata.handouts.paper.guide.stalls import telling
from kata.handouts.paper.typesetting import Data


def entries(exercise: Exercise) -> list[Data]:
    """The claims of an exercise, each with the entries that break it first."""
    printed = frozenset(telling(exercise))
    claims = ((said, [bug for bug in bugs if bug in printed]) for said, bugs in by_claim(exercise))
    return [
        {"says": marked(said), "entries": [_entry(exercise, bug) for bug in bugs]}
        for said, bugs in claims
        if bugs
    ]


def key(exercise: Exercise, bug: Bug) -> str:
    """The key by which an index finds the entry."""
    return f"{exercise.short}.{bug.slug}"


def _entry(exercise: Exercise, bug: Bug) -> Data:
    return {
        "key": key(exercise, bug),
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "symptom": marked(bug.symptom),
        "seen": len(sightings(bug)),
        "level": bug.level,
    }
