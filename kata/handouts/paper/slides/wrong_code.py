"""The mistake that a group looks at: short enough for a slide, and another one in each exercise."""

from collections.abc import Collection, Iterator

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.handouts.paper.cards.code import broken
from kata.handouts.paper.guide.shown import Shown, common
from kata.handouts.site.wrong_lines import excerpts

WIDTH = 68  # characters of a line
WRONG, BOTH = 5, 8  # lines that there is room for


def mistake(exercise: Exercise, seen: Collection[str]) -> Shown | None:
    """One that can be read off its lines, with a map, and not `seen` on an earlier slide."""
    return next(_in_order(exercise, seen), None)


def _in_order(exercise: Exercise, seen: Collection[str]) -> Iterator[Shown]:
    """The first one is the best; those behind it are judged only if there is no better one."""
    fitting = (each for each in common(exercise) if each.has_map and _can_be_seen(each))
    kept = []
    for each in fitting:
        if each.bug.slug not in seen:
            yield each
            return
        kept.append(each)
    yield from kept
    yield from common(exercise)


def _can_be_seen(each: Shown) -> bool:
    """Whether a wrong line stands in the place of each right one, and there are few of them."""
    wrong = sum(len(set_out(part.wrong)) for part in each.changes)
    right = sum(len(set_out(part.right)) for part in each.changes)
    whole = all(part.wrong and part.right for part in each.changes)
    return whole and wrong <= WRONG and wrong + right <= BOTH


def set_out(code: str) -> list[str]:
    """Its lines, broken where a slide has no room for them."""
    return [part for line in code.splitlines() for part in broken(line, WIDTH)]


def places(exercise: Exercise, bug: Bug) -> list[str]:
    """The functions in which it is made."""
    return list(dict.fromkeys(each.place for each in excerpts(exercise, bug) if each.place))
