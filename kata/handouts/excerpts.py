"""Excerpts of wrong answers: the lines that are wrong, and the right ones in their place.

The site, the book, the slides, the poster and the cheat sheet print them in forms of their own.
None of them has the remarks about shapes at the ends of lines, which wrong lines often lack.
"""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import Exercise
from kata.course.source import functions, tree_of

REMARK = re.compile(r"\s+# .*")
IMPORT = re.compile(r"(import|from) ")
SHORTEST = 12  # characters of a line that gives something away
MOST_LINES = 2  # wrong lines that need a context, and lines of a statement in it
BREAK = re.compile(r"(?<=\S)(, |\()")  # after a comma or a bracket
INDENT = 4


@dataclass(frozen=True)
class Excerpt:
    """Wrong lines that follow one another.

    Attributes:
        place: the name of the function or method that they are in; "" if there is none.
        code: the lines; "" if the mistake is that something is missing.
        spoils: whether a line of the solution stands in it.
    """

    place: str
    code: str
    spoils: bool


# The search of the museum needs them as well.
@lru_cache(maxsize=8192)
def excerpts(exercise: Exercise, bug: Bug) -> tuple[Excerpt, ...]:
    """The lines of the wrong answer that stand in the place of right ones."""
    right, wrong = _lines_of_answers(exercise, bug)
    places = _places(changed(exercise, bug))
    candidates = []
    for _, at in _differences(right, wrong):
        lines = wrong[at]
        code = textwrap.dedent("\n".join(map(without_remark, lines))).strip("\n")
        if code.strip() or not lines:
            around = (places.get(line, "") for line in range(at.start, max(at.stop, at.start + 1)))
            spoils = any(line in code for line in given_away(exercise))
            candidates.append(Excerpt(max(around, key=len), code, spoils))
    return tuple(part for part in candidates if not _only_imports(part)) or tuple(candidates)


def _only_imports(excerpt: Excerpt) -> bool:
    """Whether it has only what other lines need, and shows nothing of the mistake."""
    lines = excerpt.code.splitlines()
    return bool(lines) and all(IMPORT.match(line) for line in lines)


def places(exercise: Exercise, bug: Bug) -> list[str]:
    """The functions and methods in which a mistake is made."""
    named = (excerpt.place for excerpt in excerpts(exercise, bug) if excerpt.place)
    return list(dict.fromkeys(named))


def _places(text: str) -> dict[int, str]:
    """The functions and methods by their lines, counted from 0."""
    return {
        line: name
        for name, function in functions(tree_of(text))
        for line in range(function.lineno - 1, function.end_lineno or function.lineno)
    }


@cache
def given_away(exercise: Exercise) -> frozenset[str]:
    """The lines of the solution that the stub does not have."""
    stub = exercise.stub.read_text(encoding="utf-8")
    lines = exercise.solution.read_text(encoding="utf-8").splitlines()
    code = (without_remark(line).strip() for line in lines)
    return frozenset(line for line in code if len(line) >= SHORTEST and line not in stub)


@dataclass(frozen=True)
class Change:
    """Lines that follow one another, wrong and right; one of the two may be empty."""

    wrong: str
    right: str

    @property
    def lines(self) -> int:
        """The number of lines to read."""
        return len(self.wrong.splitlines()) + len(self.right.splitlines())


def changes(exercise: Exercise, bug: Bug) -> tuple[Change, ...]:
    """Every place in which the wrong answer differs from the reference."""
    right, wrong = _lines_of_answers(exercise, bug)
    pairs = (_change(wrong[after], right[before]) for before, after in _differences(right, wrong))
    return tuple(change for change in pairs if change.lines)


def _change(wrong: list[str], right: list[str]) -> Change:
    """A change without the indentation that the lines of both sides share."""
    text = textwrap.dedent("\n".join(map(without_remark, (*wrong, *right))))
    lines = text.split("\n")
    return Change(_filled(lines[: len(wrong)]), _filled(lines[len(wrong) :]))


def in_context(exercise: Exercise, bug: Bug) -> list[str]:
    """The wrong lines, place by place; a single short place has the statements beside it."""
    right, wrong = _lines_of_answers(exercise, bug)
    spans = [(at.start, at.stop) for _, at in _differences(right, wrong) if at.stop > at.start]
    if len(spans) == 1:
        spans = [_widened(*spans[0], changed(exercise, bug))]
    return [textwrap.dedent(_filled(map(without_remark, wrong[slice(*span)]))) for span in spans]


def _widened(start: int, stop: int, text: str) -> tuple[int, int]:
    """A short span with the statements above and below it, as far as they are in its block."""
    if stop - start > MOST_LINES:
        return start, stop
    depths = [len(line) - len(line.lstrip()) for line in text.splitlines()]
    short = [(first, end) for first, end in _statements(text) if end - first <= MOST_LINES]
    above = [first for first, end in short if end == start and depths[first] <= depths[start]]
    top = min([start, *above])
    below = [end for first, end in short if first == stop and depths[first] >= depths[top]]
    return top, max([stop, *below])


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """The spans of all statements in functions; of a block, the span of its head."""
    for _, function in functions(tree_of(text)):
        for node in ast.walk(function):
            if isinstance(node, ast.stmt) and node is not function and not _is_docstring(node):
                body = getattr(node, "body", None)
                end = body[0].lineno - 1 if body else node.end_lineno
                yield node.lineno - 1, end or node.lineno


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _lines_of_answers(exercise: Exercise, bug: Bug) -> tuple[list[str], list[str]]:
    """The lines of the right answer and of the wrong one."""
    return changed(exercise).splitlines(), changed(exercise, bug).splitlines()


def _differences(right: list[str], wrong: list[str]) -> Iterator[tuple[slice, slice]]:
    """The places in which the answers differ, as slices of the right lines and the wrong ones."""
    # The matcher would spend most of its time on the lines that both begin and end with.
    head = _shared(right, wrong)
    tail = _shared(right[head:][::-1], wrong[head:][::-1])
    ends = right[head : len(right) - tail], wrong[head : len(wrong) - tail]
    for kind, *places in SequenceMatcher(None, *ends, autojunk=False).get_opcodes():
        if kind != "equal":
            a, b, c, d = (head + place for place in places)
            yield slice(a, b), slice(c, d)


def _shared(right: list[str], wrong: list[str]) -> int:
    """The number of lines that both begin with."""
    pairs = enumerate(zip(right, wrong, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(right), len(wrong)))


def without_remark(line: str) -> str:
    """The line without the remark at its end."""
    return REMARK.sub("", line)


def _filled(lines: Iterable[str]) -> str:
    return "\n".join(line for line in lines if line.strip())


def break_lines(code: str, width: int) -> list[str]:
    """The lines of some code, broken where they are wider than this."""
    return [part for line in code.splitlines() for part in _parts(line, width)]


def _parts(line: str, width: int) -> list[str]:
    """The line in parts that have room; all but the first are indented once more."""
    indent = " " * (len(line) - len(line.lstrip()) + INDENT)
    parts = []
    while len(line) > width:
        at = max(_breaks(line[:width], width // 3), default=(False, len(line)))[1]
        parts.append(line[:at].rstrip())
        line = indent + line[at:].lstrip()
    return [*parts, line] if line.strip() else parts


def _breaks(line: str, first: int) -> list[tuple[bool, int]]:
    """The places to break it: a comma that does not stand at its start before any bracket."""
    return [
        (match[0] == ", " and match.end() > first, match.end()) for match in BREAK.finditer(line)
    ]
