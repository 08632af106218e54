"""What an instructor should look at in a file, without any effect on its mark.

A library did the work, the file is the reference, or other students have the same. All of this can
have honest reasons: a flag says what was found, and a person decides.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.grading.similarity.similarity import Group, are_alike, can_tell, nearness
from kata.grading.similarity.steps import Program, program
from kata.words import say

NAMED = 3  # students whom a flag names


@dataclass(frozen=True)
class Flag:
    """One line for the instructor.

    Attributes:
        kind: "delegates", "reference" or "alike".
        text: the line.
    """

    kind: str
    text: str


def flags(exercise: Exercise, text: str, solution: Path | None = None) -> list[Flag]:
    """The flags of one file by itself; `solution` is the reference, if not the kata's own."""
    mine, right = program(exercise, text), _right(exercise, solution or exercise.solution)
    return [*_delegates(exercise, mine), *_is_reference(mine, right)]


def alike(group: Group, student: str) -> Flag:
    """The flag of one student in a group of similar files."""
    names = [each for each in group.students if each != student]
    others = ", ".join(names[:NAMED])
    if more := len(names[NAMED:]):
        others = say("similarity.others", names=others, count=more)
    key = "similarity.alike-again" if group.exercises > 1 else "similarity.alike"
    percent = int(100 * group.near)
    return Flag("alike", say(key, percent=percent, others=others, count=group.exercises))


def _delegates(exercise: Exercise, mine: Program) -> Iterator[Flag]:
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for name, line in mine.uses:
        if any(_matches(name, each) for each in exercise.delegates):
            lines[name].add(line)
    for name, found in lines.items():
        key = "similarity.lines" if len(found) > 1 else "similarity.line"
        where = say(key, lines=", ".join(map(str, sorted(found))))
        text = say("similarity.delegates", name=name, short=exercise.short, lines=where)
        yield Flag("delegates", text)


def _matches(name: str, pattern: str) -> bool:
    """A method has to match as a whole, a dotted name in any of its parts.

    Names from an earlier exercise of their own, which begin with a dot too, are no library's.
    """
    if name.startswith(".") and "." in name[1:]:
        return False
    parts = [name] if name.startswith(".") else name.split(".")
    return any(fnmatchcase(part, pattern) for part in parts)


def _is_reference(mine: Program, right: Program) -> Iterator[Flag]:
    if mine.spelled == right.spelled:
        key = "similarity.reference" if can_tell(right.letters) else "similarity.reference-small"
        yield Flag("reference", say(key))
    elif are_alike(mine.letters, right.letters):
        percent = int(100 * nearness(mine.letters, right.letters))
        yield Flag("reference", say("similarity.reference-near", percent=percent))


@cache
def _right(exercise: Exercise, solution: Path) -> Program:
    return program(exercise, read(solution).text)
