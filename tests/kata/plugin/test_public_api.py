"""Of pytest only what is public is used: the rest changes without notice."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT

KATA = ROOT / "kata"
SIGNS = re.compile(r"_pytest|_tw\b|__dict__|\._")  # no other file has to be parsed


def private(tree: ast.AST) -> Iterator[str]:
    """Modules of pytest that are private, its terminal writer, and objects that are overwritten."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("_pytest"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("_pytest"):
            yield str(node.module)
        elif isinstance(node, ast.Attribute) and (
            node.attr == "_tw" or (node.attr == "__dict__" and isinstance(node.ctx, ast.Store))
        ):
            yield ast.unparse(node)


def others_underscores(tree: ast.AST) -> Iterator[str]:
    """Attributes with an underscore that belong to another object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            if not own and not isinstance(node.value, ast.Call) and not node.attr.endswith("__"):
                yield ast.unparse(node)


@pytest.mark.parametrize(
    "line",
    [
        "from _pytest._code.code import TerminalRepr",
        "import _pytest.terminal",
        "tw = terminalreporter._tw",
        "shown.__dict__, first.__dict__ = first.__dict__, shown.__dict__",
    ],
)
def test_private_names_are_found(line: str) -> None:
    assert list(private(ast.parse(line)))


def found_below(folder: Path, look: Callable[[ast.AST], Iterator[str]]) -> dict[Path, list[str]]:
    texts = {each: each.read_text(encoding="utf-8") for each in folder.rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items() if SIGNS.search(text)}
    return {path: found for path, tree in trees.items() if (found := list(look(tree)))}


def test_nothing_private_of_pytest_is_used() -> None:
    assert found_below(KATA, private) == {}


def test_the_plugin_touches_no_underscore_of_another_object() -> None:
    assert found_below(KATA / "plugin", others_underscores) == {}
