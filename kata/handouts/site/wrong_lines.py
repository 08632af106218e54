"""The lines that make an answer wrong, as their author wrote them, without the right ones."""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import Exercise
from kata.course.source import tree_of

SHORTEST = 12  # characters of a line that gives something away


@dataclass(frozen=True)
class Excerpt:
    """Some lines that follow one another, and the function they are in; none where one is missing.

    Attributes:
        place: the name of the function or method.
        code: the lines; "" if the mistake is that something is missing.
        spoils: whether a line of the solution stands in it.
    """

    place: str
    code: str
    spoils: bool


IMPORT = re.compile(r"(import|from) ")


@lru_cache(maxsize=8192)  # the search needs them, too
def excerpts(exercise: Exercise, bug: Bug) -> tuple[Excerpt, ...]:
    """The lines of the wrong answer that stand in the place of right ones."""
    text = changed(exercise, bug)
    right, wrong = changed(exercise).splitlines(), text.splitlines()
    places = _places(text)
    made = (
        _excerpt(exercise, [places.get(at, "") for at in (first, *range(first, last))], lines)
        for first, last, lines in _changed(right, wrong)
    )
    candidates = tuple(excerpt for excerpt in made if excerpt)
    return tuple(excerpt for excerpt in candidates if not _imports(excerpt)) or candidates


def _imports(excerpt: Excerpt) -> bool:
    """Whether it has only what other lines need, and shows nothing of the mistake."""
    lines = excerpt.code.splitlines()
    return bool(lines) and all(IMPORT.match(line) for line in lines)


def _changed(right: list[str], wrong: list[str]) -> Iterator[tuple[int, int, list[str]]]:
    """The first and the last line of each change, counted from 1, and what stands there."""
    before = _shared(right, wrong)
    after = _shared(right[before:][::-1], wrong[before:][::-1])
    ends = slice(before, len(right) - after), slice(before, len(wrong) - after)
    matcher = SequenceMatcher(None, right[ends[0]], wrong[ends[1]], autojunk=False)
    for what, _, _, first, last in matcher.get_opcodes():
        if what != "equal":
            lines = wrong[before + first : before + last]
            yield before + first + 1, before + last + 1, lines


def _shared(one: list[str], other: list[str]) -> int:
    """The number of lines that both begin with, on which the matcher would spend most time."""
    same = (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(same, min(len(one), len(other)))


def _excerpt(exercise: Exercise, places: list[str], lines: list[str]) -> Excerpt | None:
    code = textwrap.dedent("\n".join(_without_remark(line) for line in lines)).strip("\n")
    place = max(places, key=len, default="")
    if lines and not code.strip():
        return None
    return Excerpt(place, code, any(line in code for line in given_away(exercise)))


def _without_remark(line: str) -> str:
    """A line without the shape that a solution has at its end."""
    return re.sub(r"\s+# .*", "", line)


@cache
def given_away(exercise: Exercise) -> frozenset[str]:
    """Lines of the solution that the stub does not have, without their remarks."""
    stub = exercise.stub.read_text(encoding="utf-8")
    lines = exercise.solution.read_text(encoding="utf-8").splitlines()
    code = (_without_remark(line).strip() for line in lines)
    return frozenset(line for line in code if len(line) >= SHORTEST and line not in stub)


def _places(text: str) -> dict[int, str]:
    """The function or method of each line."""
    places: dict[int, str] = {}
    for node in tree_of(text).body:
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    places |= dict.fromkeys(_span(inner), f"{node.name}.{inner.name}")
        elif isinstance(node, ast.FunctionDef):
            places |= dict.fromkeys(_span(node), node.name)
    return places


def _span(node: ast.FunctionDef) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
