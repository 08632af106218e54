"""The wrong line of a mistake over the right one, and what shows it."""

import re
from collections.abc import Iterator
from textwrap import dedent

from kata.course.catalogue import Change
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.handouts.examples import ExampleError
from kata.handouts.figures.answers import entry
from kata.handouts.marked import marked
from kata.handouts.paper.typesetting import Data

WIDTH = 52  # characters of a line; if the whole line is longer, the part that was changed
REMARK = re.compile(r"\s+# .*")


def pair(short: str, slug: str, missing: str) -> Data:
    """One mistake of the catalogue; where the wrong answer has no line, `missing` says so."""
    exercise = exercise_named(short)
    bug = entry(exercise.slug, slug)
    wrong, right = ("\n".join(lines) for lines in zip(*_sides(exercise, bug.change), strict=True))
    if not right.strip():
        raise ExampleError(f"cheat sheet: {short} {slug} has no right line")
    return {
        "short": exercise.short,
        "slug": slug,
        "wrong": wrong or missing,
        "right": right,
        "symptom": marked(bug.symptom),
    }


def _sides(exercise: Exercise, change: Change) -> Iterator[tuple[str, str]]:
    """The wrong line and the right line of each replacement, without shapes at their ends."""
    solution = exercise.solution.read_text(encoding="utf-8")
    for find, instead in change:
        right = _bare(_line_of(find, solution))
        short = "\n" not in find and len(right) <= WIDTH
        yield (
            _bare(_line_of(find, solution).replace(find, instead) if short else instead),
            (right if short else _bare(find)),
        )


def _line_of(find: str, solution: str) -> str:
    """The first line in which it stands."""
    start = solution.rindex("\n", 0, solution.index(find)) + 1
    return solution[start:].partition("\n")[0]


def _bare(code: str) -> str:
    first, *rest = code.strip().splitlines() or [""]
    lines = [first, *dedent("\n".join(rest)).splitlines()]
    return "\n".join(REMARK.sub("", line) for line in lines)
