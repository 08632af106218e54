"""Which names of a module a statement binds, changes and needs, by its syntax tree alone."""

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = {"listcomp", "setcomp", "dictcomp", "genexpr"}
COMPREHENDING = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*DEFINITIONS, *COMPREHENDING, ast.Lambda)  # with names of their own


@dataclass
class Uses:
    """The names that a statement takes from the module.

    Attributes:
        at_once: when it is run.
        later: when functions in it are called.
    """

    at_once: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)


def bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds in the module, whatever blocks they are in."""
    if isinstance(node, DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((each.asname or each.name.split(".")[0]) for each in node.names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    if not isinstance(node, SCOPES):
        for each in ast.iter_child_nodes(node):
            yield from bound(each)


def changed_by(node: ast.stmt) -> set[str]:
    """The names whose values it changes: `x += 1`, `x[0] = 1`, `x.y = 1`, `x.append(1)`."""
    if isinstance(node, ast.AugAssign):
        return _roots(node.target)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {name for each in targets for name in _roots(each) if not isinstance(each, ast.Name)}
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return _roots(called) if isinstance(called, ast.Attribute) else set()
    return set()


def _roots(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def uses(node: ast.stmt) -> Uses:
    """All names that it needs; never those of its own locals."""
    found = Uses()
    _collect(symtable.symtable(ast.unparse(node), "cell", "exec"), found, at_once=True)
    found.later |= set(_in_quoted_annotations(node))
    if isinstance(node, ast.AugAssign):
        found.at_once |= _roots(node.target)
    return found


def _collect(table: symtable.SymbolTable, found: Uses, *, at_once: bool) -> None:
    """What a scope and those within it take from the module."""
    module = table.get_type() == "module"
    names = {each.get_name() for each in table.get_symbols()
             if each.is_referenced() and (module or each.is_global())}  # fmt: skip
    (found.at_once if at_once else found.later).update(names)
    for each in table.get_children():
        runs = each.get_type() == "class" or each.get_name() in COMPREHENSIONS
        _collect(each, found, at_once=at_once and runs)


def _in_quoted_annotations(node: ast.stmt) -> Iterator[str]:
    """Names in annotations that are strings: `def f(x: "Tensor")`."""
    for each in ast.walk(node):
        for annotation in (getattr(each, "annotation", None), getattr(each, "returns", None)):
            for text in ast.walk(annotation) if isinstance(annotation, ast.AST) else ():
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield from _names(text.value)


def _names(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from (each.id for each in ast.walk(tree) if isinstance(each, ast.Name))
