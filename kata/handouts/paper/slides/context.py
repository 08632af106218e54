"""A wrong line between the statements before and behind it, so that a group can read it."""

import ast
import re
import textwrap
from collections.abc import Iterator

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import Exercise
from kata.course.source import functions, tree_of
from kata.handouts.paper.guide.changes import differing

MOST = 2  # wrong lines that need others beside them, and lines of a statement there


def in_context(exercise: Exercise, bug: Bug) -> list[str]:
    """The wrong lines of each place; with its neighbours if there is one place, and it is short."""
    right, wrong = changed(exercise).splitlines(), changed(exercise, bug).splitlines()
    pairs = [(at.start, at.stop) for _, at in differing(right, wrong) if at.stop > at.start]
    if len(pairs) == 1:
        pairs = [_widened(*pairs[0], changed(exercise, bug))]
    return [_bare(wrong[start:stop]) for start, stop in pairs]


def _widened(start: int, stop: int, text: str) -> tuple[int, int]:
    """A place with the statements above and below it; none is outside of the first one's block."""
    if stop - start > MOST:
        return start, stop
    lines = text.splitlines()
    beside = [(first, last) for first, last in _statements(text) if last - first <= MOST]
    above = [at for at, end in beside if end == start and _depth(lines[at]) <= _depth(lines[start])]
    first = min([start, *above])
    below = [end for at, end in beside if at == stop and _depth(lines[at]) >= _depth(lines[first])]
    return first, max([stop, *below])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """The lines of each statement in a function, as a slice; of a block its first lines."""
    for _, function in functions(tree_of(text)):
        for node in ast.walk(function):
            if isinstance(node, ast.stmt) and node is not function and not _is_docstring(node):
                inner = getattr(node, "body", None)
                end = inner[0].lineno - 1 if inner else node.end_lineno
                yield node.lineno - 1, end or node.lineno


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _bare(lines: list[str]) -> str:
    """The lines without remarks about shapes, which wrong lines do not have, and not indented."""
    bare = [re.sub(r"\s+# .*", "", line) for line in lines]
    return textwrap.dedent("\n".join(line for line in bare if line.strip()))
