"""The code cells of a notebook: the stub's imports and constants, functions and classes."""

import ast
import re
from dataclasses import dataclass
from types import UnionType

from kata.course.curriculum import Exercise
from kata.course.source import Source, read

SUPPRESS = "from contextlib import suppress"  # for the examples
SIBLING = re.compile(r"^from \.(ex\d\d)", re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    """A function or a class of a stub, with the first sentence of each docstring."""

    name: str
    code: str


def imports(exercise: Exercise) -> str:
    """The imports of the stub, then its constants; a cell has no folder to import siblings from."""
    lines = [SUPPRESS, "", *_statements(exercise, ast.Import | ast.ImportFrom)]
    if constants := _statements(exercise, ast.Assign):
        lines += ["", *constants]
    return SIBLING.sub(r"from kata.earlier.\1", "\n".join(lines))


def _statements(exercise: Exercise, kinds: UnionType | type) -> list[str]:
    """The stub's own statements of these kinds, with the comments behind them."""
    source = read(exercise.stub)
    lines, statements = source.text.splitlines(), source.tree.body
    nodes = (statement for statement in statements if isinstance(statement, kinds))
    return ["\n".join(lines[statement.lineno - 1 : statement.end_lineno]) for statement in nodes]


def definitions(exercise: Exercise) -> list[Definition]:
    """The functions and classes of a stub, in file order."""
    source = read(exercise.stub)
    nodes = (
        statement
        for statement in source.tree.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    )
    return [Definition(definition.name, _shortened(source, definition)) for definition in nodes]


def _shortened(source: Source, node: ast.FunctionDef | ast.ClassDef) -> str:
    """A definition with docstrings of one line: the rest of them stands above the cell."""
    lines = source.text.splitlines()
    for definition in reversed([*_documented(node)]):
        docstring = definition.body[0]
        margin = " " * docstring.col_offset
        first = (ast.get_docstring(definition) or "").splitlines()[0]
        lines[docstring.lineno - 1 : docstring.end_lineno] = [f'{margin}"""{first}"""']
    removed = len(source.text.splitlines()) - len(lines)
    return "\n".join(lines[node.lineno - 1 : (node.end_lineno or 0) - removed])


def _documented(node: ast.FunctionDef | ast.ClassDef) -> list[ast.FunctionDef | ast.ClassDef]:
    """A definition and its methods, in file order, as far as they have docstrings."""
    methods = [statement for statement in node.body if isinstance(statement, ast.FunctionDef)]
    both: list[ast.FunctionDef | ast.ClassDef] = [node, *methods]
    return [definition for definition in both if ast.get_docstring(definition)]
