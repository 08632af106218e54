"""The law of proofs, which says what a test may do, for `kata prove` and for the grader.

Its table is law.toml.
"""

import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kata.course.source import UnusableError
from kata.marks import ProvedTest

PREFIX = "test"  # as pytest has it
LONGEST_NAME = ProvedTest.longest["name"]  # a report would cut it
Function = ast.FunctionDef | ast.AsyncFunctionDef
TOP = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def find_tests(tree: ast.Module) -> dict[str, Function]:
    """Return the test functions of a proof by name; the last one of the same name counts.

    Raises UnusableError if there are too many.
    """
    nodes = (statement for statement in tree.body if isinstance(statement, Function))
    tests = {node.name: node for node in nodes if node.name.startswith(PREFIX)}
    if len(tests) > table()["tests"]:
        raise UnusableError(f"it has more than {table()['tests']} tests")
    return tests


def refusals(tree: ast.Module) -> dict[str, str]:
    """Return the tests that count for nothing because of their texts, with the reasons."""
    uses = _Uses(tree)
    return {
        name: why for name, node in find_tests(tree).items() if (why := _refusal(node, uses, tree))
    }


@cache
def table() -> Mapping[str, Any]:
    """Read the law."""
    text = Path(__file__).with_name("law.toml").read_text("utf-8")
    law: dict[str, Any] = tomllib.loads(text)
    return law


def _refusal(test: Function, uses: "_Uses", tree: ast.Module) -> str:
    if len(test.name) > LONGEST_NAME:
        return f"its name has more than {LONGEST_NAME} characters"
    if isinstance(test, ast.AsyncFunctionDef) or _yields(test):
        return "it is `async` or a generator: calling it runs nothing of it"
    if missing := _missing(test):
        return with_arguments(missing)
    marks = (node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _is_mark(node))
    return next(_marks([*test.decorator_list, *(assign.value for assign in marks)]), "") or next(
        uses.of(test), ""
    )


def with_arguments(names: Iterable[str]) -> str:
    """Return why a test that takes these arguments counts for nothing."""
    arguments = ", ".join(f"`{name}`" for name in names)
    return f"it takes {arguments}: a test here takes no arguments"


def _yields(test: Function) -> bool:
    """Whether calling it runs nothing of it."""
    left: list[ast.AST] = [*test.body]
    while left:
        node = left.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*TOP.__args__, ast.Lambda)):
            left += ast.iter_child_nodes(node)
    return False


def _missing(test: Function) -> list[str]:
    """The arguments that no decorator fills; none if a decorator computes their names."""
    arguments = test.args
    names = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    names = names[: len(names) - len(arguments.defaults)]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    names += [argument.arg for argument, default in pairs if default is None]
    filled: set[str] = set()
    for expression in test.decorator_list:
        if isinstance(expression, ast.Call) and _mark_of(expression) == "parametrize":
            try:
                own = ast.literal_eval(expression.args[0])
            except (ValueError, IndexError):
                return []
            filled |= {*map(str.strip, own.split(",") if isinstance(own, str) else own)}
    return [name for name in names if name not in filled]


def _marks(decorators: list[ast.expr]) -> Iterator[str]:
    inside = (node for expression in decorators for node in ast.walk(expression))
    for node in inside:
        if (mark := _mark_of(node)) and mark not in table()["marks"]:
            yield (
                f"line {getattr(node, 'lineno', 0)}: of pytest's marks only `parametrize` "
                f"is understood here, and not `{mark}`"
            )


def _mark_of(node: ast.AST) -> str:
    """The mark in `pytest.mark.skip`, called or not; empty for anything else."""
    node = node.func if isinstance(node, ast.Call) else node
    if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("mark"):
        return node.attr
    return ""


def _is_mark(node: ast.Assign) -> bool:
    """Whether it marks all tests of a file."""
    return any(
        isinstance(expression, ast.Name) and expression.id == "pytestmark"
        for expression in node.targets
    )


class _Uses:
    """Finds what a test uses: itself, in a helper that it names, or at the top level."""

    def __init__(self, tree: ast.Module) -> None:
        self._imports = _imports(tree)
        self._parts = {
            statement.name: statement for statement in tree.body if isinstance(statement, TOP)
        }
        apart = (*TOP.__args__, ast.Import, ast.ImportFrom)
        self._shared = [statement for statement in tree.body if not isinstance(statement, apart)]

    def of(self, test: Function) -> Iterator[str]:
        """Yield a sentence for everything that a test uses against the law."""
        left: list[ast.AST] = [*self._shared, test]
        met = {test.name}
        while left:
            for node in ast.walk(left.pop()):
                yield from self._refused(node)
                if isinstance(node, ast.Name) and node.id in self._parts.keys() - met:
                    met.add(node.id)
                    left.append(self._parts[node.id])

    def _refused(self, node: ast.AST) -> Iterator[str]:
        for law in table()["refused"]:
            if use := self._use(node, law):
                yield f"line {getattr(node, 'lineno', 0)} uses `{use}`: {law['why']}"

    def _use(self, node: ast.AST, law: Mapping[str, Any]) -> str:
        """The name, the attribute or the keyword by which a node breaks a law; empty if none."""
        name = self._full(node)
        if any(f"{name}.".startswith(f"{value}.") for value in law.get("names", ())):
            return name
        attribute = node.attr if isinstance(node, ast.Attribute) else ""
        if attribute in law.get("attributes", ()):
            return attribute
        keywords = _keywords(node)
        return next((value for value in law.get("keywords", ()) if value in keywords), "")

    def _full(self, node: ast.AST) -> str:
        """The full name of a name or a chain of attributes; empty if it is not imported."""
        if isinstance(node, ast.Name):
            return self._imports.get(node.id, node.id if node.id == "open" else "")
        if isinstance(node, ast.Attribute) and (front := self._full(node.value)):
            return f"{front}.{node.attr}"
        return ""


def _imports(tree: ast.Module) -> dict[str, str]:
    """The full names of imported names."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                front = alias.name.partition(".")[0]
                names[alias.asname or front] = alias.name if alias.asname else front
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = node.module
            names |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
    return names


def _keywords(node: ast.AST) -> set[str]:
    if not isinstance(node, ast.Call):
        return set()
    keywords = (keyword for keyword in node.keywords if keyword.arg)
    return {
        str(keyword.arg)
        for keyword in keywords
        if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
    }
