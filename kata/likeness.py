"""When two texts are the same program, and when two runs looked the same to a suite."""

import ast
import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Sight:
    """What is kept of one event: no tensors with their graphs, no errors with their frames."""

    label: str
    outcome: Any
    changed: list[Any]


def seen(event: Event) -> Sight:
    """The event as plain data; of the arguments only those that the call has changed."""
    given = zip(event.before, event.after, strict=False)
    changed = [None if same(a, b) else b for a, b in ((_plain(x), _plain(y)) for x, y in given)]
    return Sight(event.label, _plain(event.outcome), changed)


def _plain(value: Any) -> Any:
    if isinstance(value, LearnerError):
        return "raised", tuple(value.kinds), value.text
    if isinstance(value, Exception):
        return "raised", type(value).__name__, str(value)
    if isinstance(value, Opaque):
        return "opaque", value.kind
    if isinstance(value, ModuleHandle):
        return "module"
    if isinstance(value, Mapping):
        return [(key, _plain(each)) for key, each in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value)(_plain(each) for each in value)
    return (str(value.dtype), numpy(value).copy()) if hasattr(value, "shape") else value


def same_sights(first: Sequence[Sight], second: Sequence[Sight]) -> bool:
    """Whether a suite saw the same things, up to rounding."""
    return len(first) == len(second) and all(
        mine.label == other.label
        and same(mine.outcome, other.outcome)
        and same(mine.changed, other.changed)
        for mine, other in zip(first, second, strict=True)
    )


def same(first: Any, second: Any) -> bool:
    """Equal numbers up to rounding, equal everything else."""
    if type(first) is not type(second):
        return False
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, np.ndarray):
        return first.shape == second.shape and bool(
            np.allclose(first, second, rtol=1e-5, atol=1e-6, equal_nan=True)
        )
    return bool(first == second)
