"""Of pytest only what is public is used: the rest changes without notice."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.source_code import tree

KATA = ROOT / "kata"
PRIVATE = re.compile(r"_pytest|\b_tw\b|__dict__")
UNDERSCORE = re.compile(r"\._")


def private(code: ast.AST) -> Iterator[str]:
    """Modules of pytest that are private, its terminal writer, and objects that are overwritten."""
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("_pytest"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("_pytest"):
            yield str(node.module)
        elif isinstance(node, ast.Attribute) and (
            node.attr == "_tw" or (node.attr == "__dict__" and isinstance(node.ctx, ast.Store))
        ):
            yield ast.unparse(node)


def others_underscores(code: ast.AST) -> Iterator[str]:
    """Attributes with an underscore that belong to another object."""
    for node in ast.walk(code):
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


def found_below(
    folder: Path, look: Callable[[ast.AST], Iterator[str]], sign: re.Pattern[str]
) -> dict[Path, list[str]]:
    """What this finds, by file; only those with a sign of it have to be parsed."""
    files = [path for path in folder.rglob("*.py") if sign.search(path.read_text("utf-8"))]
    return {path: found for path in files if (found := list(look(tree(path))))}


def test_nothing_private_of_pytest_is_used() -> None:
    assert found_below(KATA, private, PRIVATE) == {}


def test_the_plugin_touches_no_underscore_of_another_object() -> None:
    assert found_below(KATA / "plugin", others_underscores, UNDERSCORE) == {}
