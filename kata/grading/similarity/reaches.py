"""What a file reaches that no exercise asks for: the process that runs it, and names it hides.

What is written in the text is found, and nothing else: a name that is computed can be any name.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kata.grading.similarity.bindings import DEFINITIONS, imported

DEEPEST = 10  # attributes of attributes that are followed
# Modules, and what is in them, through which code can look into the process that runs it, or change
# what that process reports.
PROCESS = (
    *("__main__", "kata", "gc", "ctypes", "_ctypes", "ctypeslib", "cffi", "inspect", "linecache"),
    *("unittest.mock", "sys.modules", "sys._getframe", "sys._current_frames", "sys.settrace"),
    *("sys.setprofile", "sys.addaudithook", "sys.meta_path"),
    *("traceback.walk_tb", "traceback.walk_stack"),
)
# Attributes that lead there from any object.
INNER = {"_getframe", "_current_frames", "__traceback__", "tb_frame", "tb_next", "f_back"}
INNER |= {"f_globals", "f_locals", "f_builtins", "f_code", "gi_frame", "cr_frame", "ag_frame"}
INNER |= {"__globals__", "__builtins__", "__subclasses__", "__code__", "__closure__"}
INNER |= {"cell_contents", "__loader__", "__spec__", "__getattribute__"}
# What finds or makes code by a name that the text need not contain.
COMPUTED = (
    *("importlib", "builtins", "pickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve"),
    *("pkgutil", "runpy", "pydoc", "operator.attrgetter", "operator.methodcaller"),
    *("types.FunctionType", "types.CodeType"),
)
CALLED = {"eval", "exec", "compile", "__import__", "globals"}
BY_NAME = {"getattr", "setattr", "delattr", "vars"}  # of a module; of an object they are honest
NAMESPACE = "__dict__"


@dataclass(frozen=True)
class Reach:
    """One place in the text.

    Attributes:
        kind: "reaches" for what leads to the process, "hides" for what hides a name.
        name: one of those above, never a name that the author chose.
        line: where it stands.
    """

    kind: str
    name: str
    line: int


def reaches(tree: ast.Module) -> list[Reach]:
    """All such places of a file."""
    return [*_File(tree).reaches()]


class _File:
    def __init__(self, tree: ast.Module) -> None:
        self._nodes = [*ast.walk(tree)]
        self._imported = imported(tree)
        for name, path in self._aliases():
            self._imported.setdefault(name, path)

    def _aliases(self) -> Iterator[tuple[str, str]]:
        """Second names of what was imported: `f = torch.nn.functional`."""
        for node in self._nodes:
            if isinstance(node, ast.Assign) and (path := self._path(node.value)):
                yield from ((each.id, path) for each in node.targets if isinstance(each, ast.Name))

    @cached_property
    def _own(self) -> set[str]:
        """Names that the file binds itself, and which are no builtins there."""
        bound = {each.name for each in self._nodes if isinstance(each, DEFINITIONS)}
        bound |= {each.arg for each in self._nodes if isinstance(each, ast.arg)}
        names = (each for each in self._nodes if isinstance(each, ast.Name))
        return bound | {each.id for each in names if not isinstance(each.ctx, ast.Load)}

    def reaches(self) -> Iterator[Reach]:
        for node in self._nodes:
            line = getattr(node, "lineno", 0)
            yield from (Reach("reaches", each, line) for each in self._of_the_process(node))
            yield from (Reach("hides", each, line) for each in self._hidden(node))

    def _of_the_process(self, node: ast.AST) -> Iterator[str]:
        yield from self._named(node, PROCESS)
        if words := _words(node):
            yield from (each for each in sorted(INNER) if each in words)

    def _hidden(self, node: ast.AST) -> Iterator[str]:
        yield from self._named(node, COMPUTED)
        if isinstance(node, ast.Name) and node.id in CALLED and node.id not in self._own:
            yield node.id
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            by_name = node.func.id in BY_NAME - self._own
            yield from [node.func.id] if by_name and self._path(node.args[0]) else []
        if isinstance(node, ast.Attribute) and node.attr == NAMESPACE and self._path(node.value):
            yield NAMESPACE

    def _named(self, node: ast.AST, wanted: Iterable[str]) -> Iterator[str]:
        """Those that it imports, or of which it is the very expression that names them."""
        if paths := [f".{each}." for each in self._paths(node) if each]:
            yield from (name for name in wanted if any(f".{name}." in each for each in paths))

    def _paths(self, node: ast.AST) -> list[str]:
        if isinstance(node, ast.Attribute | ast.Name):
            return [self._path(node)]
        if isinstance(node, ast.Import):
            return [each.name for each in node.names]
        if isinstance(node, ast.ImportFrom):
            return [f"{node.module}.{each.name}" for each in node.names]
        return []

    def _path(self, node: ast.expr) -> str:
        """The dotted name of what was imported; else empty."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute) and len(parts) < DEEPEST:
            parts.append(node.attr)
            node = node.value
        root = self._imported.get(node.id, "") if isinstance(node, ast.Name) else ""
        return ".".join([root, *reversed(parts)]) if root else ""


def _words(node: ast.AST) -> str | tuple[str, ...]:
    """The names in a node; of a text all of it: `format` and `getattr` find names in texts."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return (name,)
        case ast.MatchClass(kwd_attrs=names):
            return tuple(names)
        case ast.Constant(value=str(text)):
            return text
    return ()
