"""What the names in a file stand for, and which of its statements they lead to."""

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ALL = "*"
NOTES = ("annotation", "returns")  # fields of nodes that hold annotations
DEEPEST = 10  # attributes of attributes that are followed


@dataclass(frozen=True)
class Bindings:
    """The names of one file.

    Attributes:
        modules: dotted names by what stands for them: F → torch.nn.functional; with a dot in front
            for what comes from beside the file; ALL for what `from … import *` may have brought.
        own: variables, functions and classes that the file binds itself.
        kept: attributes and methods that it binds itself.
        read: variables that it reads.
        selves: what its methods call the object that they belong to.
        mentioned: by each statement of the module, names of all kinds.
    """

    modules: dict[str, str] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    selves: set[str] = field(default_factory=set)
    mentioned: dict[ast.stmt, set[str]] = field(default_factory=dict)

    def is_own(self, node: ast.expr) -> bool:
        """Whether this is an attribute or a method that the file gives its own object."""
        of = node.value if isinstance(node, ast.Attribute) and node.attr in self.kept else None
        return isinstance(of, ast.Name) and of.id in self.selves

    def path(self, node: ast.expr) -> str:
        """The dotted name of the imported thing that this expression is, or nothing."""
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
        """The imported things that bear these names themselves, with their lines."""
        asked = self.modules.keys() & set(names)
        for node in self.mentioned:
            if isinstance(node, IMPORTS):
                yield from ((path, node.lineno) for name, path in _imported(node) if name in asked)

    def add(self, statement: ast.stmt) -> None:
        """Take note of a statement of the module."""
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
            self.kept.update([] if isinstance(node.ctx, ast.Load) else [node.attr])
        elif isinstance(node, IMPORTS):
            self.modules.update(_imported(node))
        elif isinstance(node, DEFINITIONS):
            self.own.add(node.name)
            self._add_methods(node)

    def _add_methods(self, node: ast.stmt) -> None:
        for each in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(each, ast.FunctionDef):
                self.kept.add(each.name)
                self.selves.update(argument.arg for argument in each.args.args[:1])


def bindings(tree: ast.Module) -> Bindings:
    """The names of this file; a definition hides what is imported under its name."""
    found = Bindings()
    for node in tree.body:
        found.add(node)
    for node in tree.body:
        if isinstance(node, DEFINITIONS):
            found.modules.pop(node.name, None)
    return found


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, but for annotations: they lead to nothing."""
    nodes = [node]
    for each in nodes:  # which grow meanwhile
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
    """The statements to which these names lead; tests of one's own are none of them."""
    binding, waiting = _binding(names), list(public)
    found: set[ast.stmt] = set()
    while waiting:
        for node in set(binding.pop(waiting.pop(), [])) - found:
            found.add(node)
            waiting += names.mentioned[node]
    return [node for node in names.mentioned if node in found]


def _binding(names: Bindings) -> dict[str, list[ast.stmt]]:
    """The statements of a module by the names to which they give a meaning, or another one."""
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
    """`if __name__ == "__main__":`, where people try out what they wrote."""
    inside = ast.walk(node.test) if isinstance(node, ast.If) else ()
    return any(isinstance(each, ast.Name) and each.id == "__name__" for each in inside)
