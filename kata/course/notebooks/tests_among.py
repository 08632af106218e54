"""Tests among the cells of a notebook, apart from what they test."""

import ast
import re
from collections.abc import Collection, Iterable

from kata.course.notebooks.cells import Cell

TEST = re.compile(r"^def +(test\w*)", re.MULTILINE)


def names_of_tests(cells: Iterable[Cell]) -> list[str]:
    """The names of all tests, each once."""
    return list(dict.fromkeys(name for cell in cells for name in TEST.findall(cell.text)))


def names_used(text: str) -> set[str]:
    """All names that occur in a text."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def without(text: str, names: Collection[str]) -> str:
    """The text with blank lines in place of the definitions of these names."""
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if getattr(node, "name", "") in names:
            decorators: list[ast.expr] = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(expression.lineno for expression in decorators)])
            end = node.end_lineno or first
            lines[first - 1 : end] = [""] * (end - first + 1)
    return "\n".join(lines)
