"""What a test of a proof may do: one table, law.toml, for `kata prove` and for the grader."""

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
    """The test functions of a proof, by name: of two with the same name the last one counts.

    Raises UnusableError if there are too many.
    """
    nodes = (statement for statement in tree.body if isinstance(statement, Function))
    found = {node.name: node for node in nodes if node.name.startswith(PREFIX)}
    if len(found) > table()["tests"]:
        raise UnusableError(f"it has more than {table()['tests']} tests")
    return found


def refusals(tree: ast.Module) -> dict[str, str]:
    """Why tests count for nothing whatever they find, by name: what their texts say."""
    uses = _Uses(tree)
    return {
        name: why for name, node in find_tests(tree).items() if (why := _refusal(node, uses, tree))
    }


@cache
def table() -> Mapping[str, Any]:
    """The law."""
    found: dict[str, Any] = tomllib.loads(Path(__file__).with_name("law.toml").read_text("utf-8"))
    return found


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
    """Why a test counts for nothing that takes these."""
    listed = ", ".join(f"`{name}`" for name in names)
    return f"it takes {listed}: a test here takes no arguments"


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
    """The arguments that no decorator gives; none if a decorator gives names that are computed."""
    asked = test.args
    names = [argument.arg for argument in asked.posonlyargs + asked.args]
    names = names[: len(names) - len(asked.defaults)]
    pairs = zip(asked.kwonlyargs, asked.kw_defaults, strict=True)
    names += [argument.arg for argument, default in pairs if default is None]
    given: set[str] = set()
    for expression in test.decorator_list:
        if isinstance(expression, ast.Call) and _mark_of(expression) == "parametrize":
            try:
                own = ast.literal_eval(expression.args[0])
            except (ValueError, IndexError):
                return []
            given |= {*map(str.strip, own.split(",") if isinstance(own, str) else own)}
    return [name for name in names if name not in given]


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
    """Whether it gives marks to all tests of a file."""
    return any(
        isinstance(expression, ast.Name) and expression.id == "pytestmark"
        for expression in node.targets
    )


class _Uses:
    """What each test uses, itself or in a helper that it names, or what the file does for all."""

    def __init__(self, tree: ast.Module) -> None:
        self._known = _names(tree)
        self._parts = {
            statement.name: statement for statement in tree.body if isinstance(statement, TOP)
        }
        imports = (ast.Import, ast.ImportFrom)
        self._shared = [
            statement
            for statement in tree.body
            if not isinstance(statement, (*TOP.__args__, *imports))
        ]

    def of(self, test: Function) -> Iterator[str]:
        """What it may not, in sentences."""
        left: list[ast.AST] = [*self._shared, test]
        met = {test.name}
        while left:
            for node in ast.walk(left.pop()):
                yield from self._refused(node)
                if isinstance(node, ast.Name) and node.id in self._parts.keys() - met:
                    met.add(node.id)
                    left.append(self._parts[node.id])

    def _refused(self, node: ast.AST) -> Iterator[str]:
        name = self._full(node)
        keywords = _keywords(node)
        for law in table()["refused"]:
            is_named = any(f"{name}.".startswith(f"{value}.") for value in law.get("names", ()))
            attribute = node.attr if isinstance(node, ast.Attribute) else ""
            said = name if is_named else attribute if attribute in law.get("attributes", ()) else ""
            said = said or next(
                (value for value in law.get("keywords", ()) if value in keywords), ""
            )
            if said:
                yield f"line {getattr(node, 'lineno', 0)} uses `{said}`: {law['why']}"

    def _full(self, node: ast.AST) -> str:
        """What a name or a chain of attributes stands for; empty if the file does not import it."""
        if isinstance(node, ast.Name):
            return self._known.get(node.id, node.id if node.id == "open" else "")
        if isinstance(node, ast.Attribute) and (front := self._full(node.value)):
            return f"{front}.{node.attr}"
        return ""


def _names(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                front = alias.name.partition(".")[0]
                found[alias.asname or front] = alias.name if alias.asname else front
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return found


def _keywords(node: ast.AST) -> set[str]:
    if not isinstance(node, ast.Call):
        return set()
    keywords = (keyword for keyword in node.keywords if keyword.arg)
    return {
        str(keyword.arg)
        for keyword in keywords
        if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
    }
