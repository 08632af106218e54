"""What an instructor should look at in a file, without any effect on its mark.

A library did the work, the file is the reference, other students have the same, or the code looks
into the process that runs it. All of this can have honest reasons: a flag says what was found, and
a person decides.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from kata.course.curriculum import Exercise
from kata.course.source import TOO_DEEP, UnusableError, parse, read
from kata.grading.similarity.reaches import Reach, reaches
from kata.grading.similarity.similarity import Group, are_alike, can_tell, nearness
from kata.grading.similarity.steps import Program, program
from kata.text import cut, shown
from kata.words import say

NAMED = 3  # students whom a flag names
MOST_LINES = 8  # that a flag lists
LONGEST_NAME = 80  # characters of a dotted name


@dataclass(frozen=True)
class Flag:
    """One line for the instructor.

    Attributes:
        kind: "delegates", "reference", "alike", "reaches", "hides" or "unread".
        text: the line.
    """

    kind: str
    text: str


def flags(exercise: Exercise, text: str, solution: Path | None = None) -> list[Flag]:
    """The flags of one file by itself; `solution` is the reference, if not the kata's own."""
    mine, right = program(exercise, text), _right(exercise, solution or exercise.solution)
    if mine.unread:
        return [*_reaches(exercise, text), Flag("unread", say("similarity.unread"))]
    return [
        *_delegates(exercise, mine),
        *_is_reference(exercise, mine, right),
        *_reaches(exercise, text),
    ]


def alike(group: Group, student: str) -> Flag:
    """The flag of one student in a group of similar files."""
    names = [each for each in group.students if each != student]
    others = ", ".join(names[:NAMED])
    if more := len(names[NAMED:]):
        others = say("similarity.others", names=others, count=more)
    several = "pair" if len(names) == 1 else "again"
    key = f"similarity.alike-{several}" if group.exercises > 1 else "similarity.alike"
    percent = int(100 * group.near)
    return Flag("alike", say(key, percent=percent, others=others, count=group.exercises))


def _delegates(exercise: Exercise, mine: Program) -> Iterator[Flag]:
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for name, line in mine.uses:
        if any(_matches(name, each) for each in exercise.delegates):
            lines[name].add(line)
    for name, found in lines.items():
        told = cut(shown(name), LONGEST_NAME, "…")
        where = _where(found)
        text = say("similarity.delegates", name=told, short=exercise.short, lines=where)
        yield Flag("delegates", text)


def _reaches(exercise: Exercise, text: str) -> list[Flag]:
    """Nothing of a file that cannot be read, which its verdict reports."""
    try:
        found = reaches(parse(exercise.stub, text).tree)
    except (UnusableError, *TOO_DEEP):
        return []
    kinds = sorted({each.kind for each in found})
    return [_reach(kind, [each for each in found if each.kind == kind]) for kind in kinds]


def _reach(kind: str, found: list[Reach]) -> Flag:
    names = ", ".join(dict.fromkeys(f"`{each.name}`" for each in found))
    lines = _where({each.line for each in found})
    return Flag(kind, say(f"similarity.{kind}", names=names, lines=lines))


def _where(lines: set[int]) -> str:
    """The first of these lines, in words."""
    listed = ", ".join(map(str, sorted(lines)[:MOST_LINES]))
    more = len(lines) - MOST_LINES
    if more > 0:
        listed = say("similarity.more-lines", lines=listed, count=more)
    return say("similarity.lines" if len(lines) > 1 else "similarity.line", lines=listed)


def _matches(name: str, pattern: str) -> bool:
    """A method has to match as a whole, a dotted name in any of its parts.

    Names from an earlier exercise of their own, which begin with a dot too, are no library's.
    """
    if name.startswith(".") and "." in name[1:]:
        return False
    parts = [name] if name.startswith(".") else name.split(".")
    return any(fnmatchcase(part, pattern) for part in parts)


def _is_reference(exercise: Exercise, mine: Program, right: Program) -> Iterator[Flag]:
    if mine.spelled == right.spelled:
        small = not can_tell(exercise, right.letters)
        yield Flag("reference", say(f"similarity.reference{'-small' if small else ''}"))
    elif are_alike(exercise, mine.letters, right.letters):
        percent = int(100 * nearness(mine.letters, right.letters))
        yield Flag("reference", say("similarity.reference-near", percent=percent))


@cache
def _right(exercise: Exercise, solution: Path) -> Program:
    return program(exercise, read(solution).text)
