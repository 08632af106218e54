"""When two texts are the same program, and when two runs looked the same to a suite."""

import ast
import builtins
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kata.attempt import LearnerError
from kata.case import Event
from kata.draw import numpy
from kata.submission import ModuleHandle, Opaque


def tree(text: str) -> str:
    """A program without its docstrings, comments and the names its author chose."""
    parsed = _Plain().visit(ast.parse(text))
    return ast.dump(parsed)


class _Plain(ast.NodeTransformer):
    """Renames what the file itself binds, in order of appearance, and drops docstrings."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def _rename(self, name: str) -> str:
        return self._names.setdefault(name, f"name{len(self._names)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:  # ast's own spelling
        if not hasattr(builtins, node.id):
            node.id = self._rename(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg, node.annotation = self._rename(node.arg), None
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant):
            return None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


def same_events(first: Sequence[Event], second: Sequence[Event]) -> bool:
    """Whether a suite saw the same things, up to rounding."""
    if len(first) != len(second):
        return False
    return all(
        mine.label == other.label
        and same(mine.outcome, other.outcome)
        and same(_changes(mine), _changes(other))
        for mine, other in zip(first, second, strict=True)
    )


def _changes(event: Event) -> list[Any]:
    """Arguments as the call left them; random inputs are equal from run to run."""
    return [each for each in event.after if hasattr(each, "shape")]


def same(first: Any, second: Any) -> bool:
    """Equal values, equal errors, equal kinds of things that cannot be looked into."""
    if isinstance(first, LearnerError) and isinstance(second, LearnerError):
        return first.kinds == second.kinds and first.text == second.text
    if type(first) is not type(second):
        return False
    if isinstance(first, Mapping):
        return same(list(first.items()), list(second.items()))
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, ModuleHandle):
        return True
    if isinstance(first, Opaque):
        return bool(first.kind == second.kind)
    if hasattr(first, "shape"):
        return _same_arrays(first, second)
    if isinstance(first, Exception):
        return str(first) == str(second)
    return bool(first == second)


def _same_arrays(first: Any, second: Any) -> bool:
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    mine, other = numpy(first), numpy(second)
    return bool(np.allclose(mine, other, rtol=1e-5, atol=1e-6, equal_nan=True))
