"""The names of a module that a statement binds, changes and needs, by its syntax tree alone."""

import ast
import re
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kata.course.source import BLOCKS, TOO_DEEP

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*DEFINITIONS, *COMPREHENSIONS, ast.Lambda)  # with names of their own
# Blocks that may be left out, or left half done, when a module is run.
PERHAPS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match)
# Methods that change a list, a dictionary or a set, so that a call by itself is no experiment.
CHANGING = {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove",
            "reverse", "setdefault", "sort", "update"}  # fmt: skip
PARAMETER_OF_A_COMPREHENSION = ".0"


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a statement on the names of the module, when it is run.

    Attributes:
        binds: names that it gives a value, whatever blocks they are in.
        changes: names of values that it changes: `x += 1`, `x[0] = 1`, `x.y = 1`, `x.append(1)`.
        deletes: names that have no value afterwards.
        declares: names that a function sets with `global`, once it is called.
        surely: whether all of that happens, or only perhaps.
    """

    binds: frozenset[str]
    changes: frozenset[str]
    deletes: frozenset[str]
    declares: frozenset[str]
    surely: bool


def effects(statement: ast.stmt) -> Effects:
    """Return all effects of a statement."""
    nodes = list(own_nodes(statement))
    return Effects(
        binds=frozenset(name for node in nodes for name in bound_by(node)),
        changes=frozenset(name for node in nodes for name in _changed(node)),
        deletes=frozenset(name for node in nodes for name in _deleted(node)),
        declares=frozenset(_declared(statement)),
        surely=not isinstance(statement, PERHAPS) and not _suppresses(statement),
    )


def _suppresses(statement: ast.stmt) -> bool:
    """Recognise `with suppress(ImportError):`, after which nobody knows what was done."""
    items = statement.items if isinstance(statement, ast.With) else []
    calls = (item.context_expr for item in items if isinstance(item.context_expr, ast.Call))
    return any(
        "suppress" in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
        for call in calls
    )


def own_nodes(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run in the module itself. Not recursive: code may be nested deeply."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting += _children(node)


def _children(node: ast.AST) -> Iterable[ast.AST]:
    """Return the children of a node; `x: int` binds nothing."""
    if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
        return [node.annotation]
    return ast.iter_child_nodes(node)


def bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that this node itself binds."""
    if isinstance(node, DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name.split(".")[0]) for alias in node.names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, COMPREHENSIONS):  # `:=` in one binds a name outside of it
        yield from (part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr))


def _changed(node: ast.AST) -> set[str]:
    """Return the names of the values that this node itself changes."""
    if isinstance(node, ast.AugAssign):
        return _root(node.target)
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return _root(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _changed_by_call(node.value)
    if isinstance(node, DEFINITIONS):  # `@function.register`
        decorators = (decorator.func if isinstance(decorator, ast.Call) else decorator
                      for decorator in node.decorator_list)  # fmt: skip
        return set().union(*(_root(decorator) for decorator in decorators
                             if isinstance(decorator, ast.Attribute)))  # fmt: skip
    return set()


def _changed_by_call(call: ast.Call) -> set[str]:
    """Recognise `x.append(1)`, torch's `x.fill_(1)` and `setattr(x, "y", 1)`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name in CHANGING or (name.endswith("_") and not name.endswith("__")):
        return _root(call.func)
    sets = isinstance(call.func, ast.Name) and call.func.id in {"setattr", "delattr"}
    return _root(call.args[0]) if sets and call.args else set()


def _deleted(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Delete):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _declared(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement) if isinstance(statement, ast.FunctionDef) else ():
        if isinstance(node, ast.Global):
            yield from node.names


def _root(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


@dataclass
class Uses:
    """The names that a statement takes from the module.

    Attributes:
        at_once: when it is run.
        later: when functions in it are called.
        quoted: in annotations that are strings, which hardly any code reads.
    """

    at_once: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    quoted: set[str] = field(default_factory=set)


def uses(text: str) -> Uses:
    """Return all names that the statement with this text needs; never those of its own locals."""
    try:
        tree = ast.parse(text)
        table = symtable.symtable(text, "cell", "exec")
        return Uses(set(_at_once(tree.body, set())), set(_later(table)), set(_quoted(tree)))
    except (SyntaxError, *TOO_DEEP):  # too deep to be followed: take all that looks like a name
        return Uses(set(re.findall(r"[^\W\d]\w*", text)))


def _at_once(nodes: Sequence[ast.AST], bound: set[str]) -> Iterator[str]:
    """Yield the names that these nodes take from outside when they run one after another."""
    for node in nodes:
        blocks = _blocks(node)
        inside = {id(part) for block in blocks for part in block}
        heads = [child for child in ast.iter_child_nodes(node) if id(child) not in inside]
        yield from (name for head in heads for name in _loaded(head) if name not in bound)
        yield from _root(node.target) - bound if isinstance(node, ast.AugAssign) else ()
        if not isinstance(node, DEFINITIONS):
            within = bound.union(*(_bound_in(head) for head in heads), bound_by(node))
            for block in blocks:
                yield from _at_once(block, set(within))
        elif isinstance(node, ast.ClassDef):
            yield from _at_once(node.body, set(bound))
        if isinstance(node, ast.stmt) and not isinstance(node, PERHAPS):
            bound |= _bound_in(node)


def _blocks(node: ast.AST) -> list[list[ast.AST]]:
    """Return the blocks of a statement; that of a function is not run with it."""
    blocks = (getattr(node, name, None) for name in BLOCKS)
    return [block for block in blocks if isinstance(block, list)]


def _bound_in(node: ast.AST) -> set[str]:
    return {name for part in own_nodes(node) for name in bound_by(part)}


def _loaded(expression: ast.AST) -> Iterator[str]:
    """Yield the names that an expression reads; not those that a function in it reads later."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Lambda):
            waiting.append(node.args)
        elif isinstance(node, COMPREHENSIONS):
            own = {part.id for part in ast.walk(node)
                   if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}  # fmt: skip
            names = (name for child in ast.iter_child_nodes(node) for name in _loaded(child))
            yield from (name for name in names if name not in own)
        else:
            waiting += ast.iter_child_nodes(node)


def _later(table: symtable.SymbolTable, *, in_function: bool = False) -> Iterator[str]:
    """Yield the names that the functions within a scope take from the module."""
    for child in table.get_children():
        comprehension = PARAMETER_OF_A_COMPREHENSION in child.get_identifiers()
        within = in_function or not (comprehension or child.get_type() == "class")
        for symbol in child.get_symbols() if within else ():
            if symbol.is_referenced() and symbol.is_global():
                yield symbol.get_name()
        yield from _later(child, in_function=within)


def _quoted(tree: ast.AST) -> Iterator[str]:
    """Yield names in annotations that are strings: `def f(x: "Tensor")`."""
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            for text in ast.walk(annotation) if isinstance(annotation, ast.AST) else ():
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield from _names(text.value)


def _names(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, *TOO_DEEP):
        return
    yield from (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
