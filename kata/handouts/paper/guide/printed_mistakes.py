"""The mistakes on an exercise's page: those seen most often, with something to see in them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.handouts.mistakes import traps
from kata.handouts.paper.guide.changes import Change, changes
from kata.handouts.site.rooms import room
from kata.verdict import Message

COUNT = 3  # on a page
TRIED = 10  # of those seen most often, from which these are taken
LONGEST = 8  # lines of one mistake, wrong and right together, and one more for each place
LEAST, LINES = 3, 15  # of one, and of all of them


@dataclass(frozen=True)
class PrintedMistake:
    """A mistake, its lines, and what its author reads."""

    bug: Bug
    changes: tuple[Change, ...]
    message: Message

    @property
    def has_map(self) -> bool:
        """Whether there is more to see than words."""
        return self.message.picture is not None


def printed_mistakes(exercise: Exercise) -> list[PrintedMistake]:
    """The mistakes to print, one for each claim: those often seen first, with a map if possible."""
    chosen = _with((mistake for mistake in common(exercise) if mistake.has_map), [])
    rest = (mistake for mistake in common(exercise) if not mistake.has_map)
    return _with(rest, chosen) if len(chosen) < COUNT else chosen


def common(exercise: Exercise) -> Iterator[PrintedMistake]:
    """The mistakes seen most often, as far as they are short; each is judged when it is needed."""
    often = [bug for bug in traps(exercise) if bug.level == 1 or bug.is_real]
    short = [bug for bug in often if _length(exercise, bug) <= LONGEST]
    for bug in (short or list(traps(exercise)))[:TRIED]:
        if mistake := _read(exercise, bug):
            yield mistake


def _with(
    candidates: Iterable[PrintedMistake], chosen: list[PrintedMistake]
) -> list[PrintedMistake]:
    """The chosen mistakes, and as many of the others as have room on the page beside them."""
    chosen = list(chosen)
    for mistake in candidates:
        left = LINES - sum(map(_lines, (*chosen, mistake)))
        if left >= LEAST * (COUNT - 1 - len(chosen)):
            chosen.append(mistake)
        if len(chosen) == COUNT:
            break
    return chosen


def _lines(mistake: PrintedMistake) -> int:
    return sum(part.lines + 1 for part in mistake.changes)


def _length(exercise: Exercise, bug: Bug) -> int:
    return sum(part.lines + 1 for part in changes(exercise, bug))


@lru_cache(maxsize=512)
def _read(exercise: Exercise, bug: Bug) -> PrintedMistake | None:
    """Judge a mistake; None if its author reads nothing, as where it needs a GPU."""
    message = room(exercise, [bug]).messages.get(bug.slug)
    return PrintedMistake(bug, changes(exercise, bug), message) if message else None
