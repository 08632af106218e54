"""The mistake that a group looks at: short enough for a slide, and another one in each exercise."""

import re
from collections.abc import Collection, Iterator

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.handouts.paper.cards.code import broken
from kata.handouts.paper.guide.shown import Shown, common
from kata.handouts.site.wrong_lines import excerpts

WIDTH = 68  # characters of a line
LONGEST = 110  # of one that is broken
SHAPE, FIXED = re.compile(r"[(\[][\d., -]+[)\]]"), "\u00a0"
HELPER = re.compile(r"(?<!\w)_[a-z]")
WRONG, BOTH = 5, 8  # lines that there is room for


def mistake(exercise: Exercise, seen: Collection[str]) -> Shown | None:
    """One that can be read off its lines, with a map, and not `seen` on an earlier slide."""
    return next(_in_order(exercise, seen), None)


def _in_order(exercise: Exercise, seen: Collection[str]) -> Iterator[Shown]:
    """The first is the best; the others are judged only if there is no better one."""
    for is_good in (_can_be_told, _can_be_seen):
        kept = []
        for each in common(exercise):
            if is_good(exercise, each):
                yield from () if each.bug.slug in seen else (each,)
                kept.append(each)
        yield from kept
    yield from common(exercise)


def _can_be_told(exercise: Exercise, each: Shown) -> bool:
    """Whether a group knows all functions in it: no helper of the reference is among them."""
    named = [*places(exercise, each.bug), *(part.wrong for part in each.changes)]
    return not any(HELPER.search(text) for text in named) and _can_be_seen(exercise, each)


def _can_be_seen(_: Exercise, each: Shown) -> bool:
    """Whether few lines are wrong, and each stands in the place of a right one."""
    wrong = sum(len(set_out(part.wrong)) for part in each.changes)
    right = sum(len(set_out(part.right)) for part in each.changes)
    whole = all(part.wrong and part.right for part in each.changes)
    short = all(len(line) < LONGEST for part in each.changes for line in part.wrong.splitlines())
    return each.has_map and whole and short and wrong <= WRONG and wrong + right <= BOTH


def set_out(code: str) -> list[str]:
    """Its lines, broken where a slide has no room for them."""
    return [part for line in code.splitlines() for part in broken(line, WIDTH)]


def call(inputs: str) -> list[str]:
    """The first line of what a claim calls, in lines none of which ends inside of a shape."""
    held = SHAPE.sub(lambda match: match[0].replace(" ", FIXED), inputs.partition("\n")[0])
    return [line.replace(FIXED, " ") for line in set_out(held)]


def places(exercise: Exercise, bug: Bug) -> list[str]:
    """The functions and methods in which it is made."""
    return list(
        dict.fromkeys(excerpt.place for excerpt in excerpts(exercise, bug) if excerpt.place)
    )
