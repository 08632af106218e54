"""What the names in a file refer to, and which statements a name depends on."""

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ALL = "*"
NOTES = ("annotation", "returns")  # fields of nodes that hold annotations
DEEPEST = 10  # how many attributes of attributes are followed


@dataclass(frozen=True)
class Bindings:
    """The names of one file.

    Attributes:
        modules: imported names → what they refer to: F → torch.nn.functional. Relative imports
            start with a dot; ALL stands for anything that `from … import *` may have imported.
        own: variables, functions and classes that the file binds itself.
        attributes: attributes and methods that the file binds itself.
        read: variables that the file reads.
        selves: what its methods call their first parameter.
        mentioned: for each statement of the module, all names in it.
    """

    modules: dict[str, str] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    selves: set[str] = field(default_factory=set)
    mentioned: dict[ast.stmt, set[str]] = field(default_factory=dict)

    def is_own(self, node: ast.expr) -> bool:
        """Whether this is an attribute or a method of `self` that the file defines."""
        if not isinstance(node, ast.Attribute) or node.attr not in self.attributes:
            return False
        return isinstance(node.value, ast.Name) and node.value.id in self.selves

    def path(self, node: ast.expr) -> str:
        """The dotted name of what this expression refers to, if it was imported; else empty."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute) and len(parts) < DEEPEST:
            parts.append(node.attr)
            node = node.value
        root = self._root(node.id) if isinstance(node, ast.Name) else ""
        return ".".join([root, *reversed(parts)]) if root else ""

    def _root(self, name: str) -> str:
        if name in self.modules:
            return self.modules[name]
        known = name in self.own or hasattr(builtins, name)
        return f"{self.modules[ALL]}.{name}" if ALL in self.modules and not known else ""

    def imports(self, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Imports that bind these very names, with their lines."""
        wanted = self.modules.keys() & set(names)
        for node in self.mentioned:
            if isinstance(node, IMPORTS):
                yield from ((path, node.lineno) for name, path in _imported(node) if name in wanted)

    def add(self, statement: ast.stmt) -> None:
        """Add the names in a statement of the module."""
        names = self.mentioned.setdefault(statement, set())
        for node in _inside(statement):
            if isinstance(node, ast.Name):
                names.add(node.id)
                (self.read if isinstance(node.ctx, ast.Load) else self.own).add(node.id)
            elif isinstance(node, ast.Attribute | ast.arg | ast.stmt):
                self._add(node)

    def _add(self, node: ast.Attribute | ast.arg | ast.stmt) -> None:
        if isinstance(node, ast.arg):
            self.own.add(node.arg)
        elif isinstance(node, ast.Attribute):
            self.attributes.update([] if isinstance(node.ctx, ast.Load) else [node.attr])
        elif isinstance(node, IMPORTS):
            self.modules.update(_imported(node))
        elif isinstance(node, DEFINITIONS):
            self.own.add(node.name)
            self._add_methods(node)

    def _add_methods(self, node: ast.stmt) -> None:
        for each in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(each, ast.FunctionDef):
                self.attributes.add(each.name)
                self.selves.update(argument.arg for argument in each.args.args[:1])


def bindings(tree: ast.Module) -> Bindings:
    """The names of this file; a definition hides an import of the same name."""
    found = Bindings()
    for node in tree.body:
        found.add(node)
    for node in tree.body:
        if isinstance(node, DEFINITIONS):
            found.modules.pop(node.name, None)
    return found


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and everything below it, except annotations, which do not run."""
    nodes = [node]
    for each in nodes:  # the list grows during the loop
        yield each
        for name, value in ast.iter_fields(each):
            found = value if isinstance(value, list) else [value]
            nodes += [below for below in found if isinstance(below, ast.AST) and name not in NOTES]


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for each in node.names:
        if isinstance(node, ast.Import):
            top = each.name.split(".")[0]
            yield (each.asname, each.name) if each.asname else (top, top)
        else:
            module = f"{'.' * bool(node.level)}{node.module or ''}"
            name = module if each.name == ALL else f"{module}.{each.name}"
            yield each.asname or each.name, name


def reached(names: Bindings, public: Iterable[str]) -> list[ast.stmt]:
    """The statements that these names depend on, which leaves out a student's own tests."""
    binding, waiting = _binding(names), list(public)
    found: set[ast.stmt] = set()
    while waiting:
        for node in set(binding.pop(waiting.pop(), [])) - found:
            found.add(node)
            waiting += names.mentioned[node]
    return [node for node in names.mentioned if node in found]


def _binding(names: Bindings) -> dict[str, list[ast.stmt]]:
    """For each name, the statements of the module that bind or change it."""
    found: defaultdict[str, list[ast.stmt]] = defaultdict(list)
    for node in names.mentioned:
        for name in set() if _is_main(node) else _bound(node):
            found[name].append(node)
    return found


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, DEFINITIONS):
        return {node.name}
    names = {each.name for each in ast.walk(node) if isinstance(each, DEFINITIONS)}
    for each in ast.walk(node):
        if isinstance(each, ast.Name | ast.Attribute) and not isinstance(each.ctx, ast.Load):
            names |= {inner.id for inner in ast.walk(each) if isinstance(inner, ast.Name)}
    return names


def _is_main(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`, where students try out their code."""
    inside = ast.walk(node.test) if isinstance(node, ast.If) else ()
    return any(isinstance(each, ast.Name) and each.id == "__name__" for each in inside)
