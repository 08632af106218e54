"""What the imports of a file bind, and which of its statements a name depends on."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ALL = "*"


def imported(tree: ast.Module) -> dict[str, str]:
    """Imported names → what they refer to: F → torch.nn.functional.

    Relative imports start with a dot; ALL stands for anything that `from … import *` may have
    imported. A definition hides an import of the same name.
    """
    own = {each.name for each in tree.body if isinstance(each, DEFINITIONS)}
    pairs = (pair for node in ast.walk(tree) if isinstance(node, IMPORTS) for pair in bound(node))
    return {name: path for name, path in pairs if name not in own}


def bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that one import binds, with what they refer to."""
    for each in node.names:
        if isinstance(node, ast.Import):
            top = each.name.split(".")[0]
            yield (each.asname, each.name) if each.asname else (top, top)
        else:
            module = f"{'.' * bool(node.level)}{node.module or ''}"
            name = module if each.name == ALL else f"{module}.{each.name}"
            yield each.asname or each.name, name


def reached(tree: ast.Module, public: Iterable[str]) -> list[ast.stmt]:
    """The statements that these names depend on, which leaves out a student's own tests."""
    changing: defaultdict[str, set[ast.stmt]] = defaultdict(set)
    for node in tree.body:
        for name in set() if _is_main(node) else _changed(node):
            changing[name].add(node)
    found, waiting = set[ast.stmt](), list(public)
    while waiting:
        for node in changing.pop(waiting.pop(), set()) - found:
            found.add(node)
            waiting += _names(node)
    return [node for node in tree.body if node in found]


def _changed(node: ast.stmt) -> set[str]:
    """The names that a statement of the module binds or changes."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    names = {each.name for each in ast.walk(node) if isinstance(each, DEFINITIONS)}
    for each in ast.walk(node):
        if isinstance(each, ast.Name | ast.Attribute) and not isinstance(each.ctx, ast.Load):
            names |= _names(each)
    return names


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_main(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`, where students try out their code."""
    return isinstance(node, ast.If) and "__name__" in _names(node.test)
