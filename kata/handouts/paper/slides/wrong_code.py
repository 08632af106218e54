"""The mistake that a group looks at: short enough for a slide, and another one in each exercise."""

import re
from collections.abc import Collection, Iterator

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.handouts.paper.cards.code import broken
from kata.handouts.paper.guide.printed_mistakes import PrintedMistake, common
from kata.handouts.site.wrong_lines import excerpts

WIDTH = 68  # characters of a line
LONGEST = 110  # of one that is broken
SHAPE, FIXED = re.compile(r"[(\[][\d., -]+[)\]]"), "\u00a0"
HELPER = re.compile(r"(?<!\w)_[a-z]")
WRONG, BOTH = 5, 8  # lines that there is room for


def mistake(exercise: Exercise, seen: Collection[str]) -> PrintedMistake | None:
    """A mistake that can be read off its lines, with a map, and not `seen` on an earlier slide."""
    return next(_in_order(exercise, seen), None)


def _in_order(exercise: Exercise, seen: Collection[str]) -> Iterator[PrintedMistake]:
    """The first is the best; the others are judged only if there is no better one."""
    for is_good in (_is_readable, _is_visible):
        kept = []
        for candidate in common(exercise):
            if is_good(exercise, candidate):
                yield from () if candidate.bug.slug in seen else (candidate,)
                kept.append(candidate)
        yield from kept
    yield from common(exercise)


def _is_readable(exercise: Exercise, candidate: PrintedMistake) -> bool:
    """Whether a group knows all functions in it: no helper of the reference is among them."""
    named = [*places(exercise, candidate.bug), *(part.wrong for part in candidate.changes)]
    return not any(HELPER.search(text) for text in named) and _is_visible(exercise, candidate)


def _is_visible(_: Exercise, candidate: PrintedMistake) -> bool:
    """Whether few lines are wrong, and each stands in the place of a right one."""
    wrong = sum(len(set_out(part.wrong)) for part in candidate.changes)
    right = sum(len(set_out(part.right)) for part in candidate.changes)
    whole = all(part.wrong and part.right for part in candidate.changes)
    short = all(
        len(line) < LONGEST for part in candidate.changes for line in part.wrong.splitlines()
    )
    return candidate.has_map and whole and short and wrong <= WRONG and wrong + right <= BOTH


def set_out(code: str) -> list[str]:
    """The lines of some code, broken where a slide has no room for them."""
    return [part for line in code.splitlines() for part in broken(line, WIDTH)]


def call(inputs: str) -> list[str]:
    """The first line of what a claim calls, in lines none of which ends inside of a shape."""
    held = SHAPE.sub(lambda match: match[0].replace(" ", FIXED), inputs.partition("\n")[0])
    return [line.replace(FIXED, " ") for line in set_out(held)]


def places(exercise: Exercise, bug: Bug) -> list[str]:
    """The functions and methods in which a mistake is made."""
    return list(
        dict.fromkeys(excerpt.place for excerpt in excerpts(exercise, bug) if excerpt.place)
    )
