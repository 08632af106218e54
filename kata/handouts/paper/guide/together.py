"""What a group looks at together: the reference, wrong code, and the rows of the page for tests."""

import ast
import re
from collections.abc import Iterator

from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.handouts.marked import capital, marked
from kata.handouts.paper.code_hunts import code_hunts
from kata.handouts.paper.proof_sheets import first
from kata.handouts.paper.typesetting import Data


def together(exercise: Exercise) -> Data:
    """The data of what a group looks at together in one exercise."""
    return {
        "slug": exercise.slug,
        "short": exercise.short,
        "title": exercise.title,
        "solution": program(exercise),
        "code_hunts": code_hunts(exercise),
        "traps": [
            [marked(capital(bug.title)), marked(bug.invisible_when)] for bug in first(exercise)
        ],
    }


def program(exercise: Exercise) -> str:
    """The solution without its docstrings, which are the contracts, and without notes for tools."""
    source = read(exercise.solution)
    lines = source.text.splitlines()
    said = {
        at for docstring in _docstrings(source.tree) for at in range(docstring[0], docstring[1] + 1)
    }
    kept = [_without_notes(line) for at, line in enumerate(lines, start=1) if at not in said]
    text = "\n".join(kept).strip()
    return text.replace("\n\n\n", "\n\n").replace(":\n\n    ", ":\n    ")


def _without_notes(line: str) -> str:
    return re.sub(r"\s+# (type: ignore|noqa|fmt:).*", "", line)


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The first and the last lines of all docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                yield first.lineno, first.end_lineno or first.lineno
