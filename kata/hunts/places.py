"""Where in a file a mistake is, and the text of that place."""

import ast
from functools import lru_cache

from kata.course.catalogue import Bug, changed
from kata.course.curriculum import Exercise
from kata.course.source import tree_of

Top = ast.FunctionDef | ast.ClassDef


def tops(text: str) -> dict[str, Top]:
    """The top-level functions and classes."""
    return {
        statement.name: statement for statement in tree_of(text).body if isinstance(statement, Top)
    }


def part(text: str, top: Top) -> str:
    """The text of one of them, with its decorators."""
    first, last = _span(top)
    return "\n".join(text.splitlines()[first:last])


@lru_cache(maxsize=4096)
def place(exercise: Exercise, bug: Bug) -> str:
    """The one function or class that a mistake is in; "" if there is no such one."""
    right = changed(exercise)
    whole = {name: _span(top) for name, top in tops(right).items()}
    touched = {_holder(whole, right, find) for find, _ in bug.change}
    return touched.pop() if len(touched) == 1 else ""


def _holder(whole: dict[str, tuple[int, int]], text: str, find: str) -> str:
    start = text.find(find)
    first = text.count("\n", 0, start)
    last = first + find.rstrip("\n").count("\n")
    return next((name for name, (a, b) in whole.items() if a <= first and last < b), "")


def replaced(text: str, name: str, instead: str) -> str:
    """The file with another text for this function or class."""
    first, last = _span(tops(text)[name])
    lines = text.splitlines()
    return "\n".join([*lines[:first], *instead.splitlines(), *lines[last:]]) + "\n"


def without_docstrings(text: str) -> str:
    """The code without what its contract says, which the exercise says anyway."""
    lines = dict(enumerate(text.splitlines(), start=1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Top) and ast.get_docstring(node) is not None and len(node.body) > 1:
            for at in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                del lines[at]
    return "\n".join(lines.values())


def _span(top: Top) -> tuple[int, int]:
    first = min([top.lineno, *(expression.lineno for expression in top.decorator_list)])
    return first - 1, top.end_lineno or top.lineno
