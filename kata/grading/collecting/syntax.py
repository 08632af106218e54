"""Python as a tree: what the top level of a file binds and imports, and other names for that.

Every line stays, so that a place in the text is still one in the file.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from kata.course.source import BLOCKS, TOO_DEEP, spelled, statements

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Import = ast.Import | ast.ImportFrom
Names = Mapping[str, str]
# A name at a place: line, its first byte there, the end, and the name that is to stand there.
Edit = tuple[int, int, int, str]


def parsed(text: str) -> ast.Module | None:
    """The tree of a text; None if it is not Python, or too much for Python."""
    try:
        return ast.parse(text)  # not `tree_of`, which keeps it: a tree takes a lot of memory
    except (SyntaxError, *TOO_DEEP):
        return None


def imports(tree: ast.Module) -> list[Import]:
    """All imports of a file, in the order in which they stand there."""
    nodes = [node for node in statements(tree) if isinstance(node, Import)]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def import_of(node: Import, alias: ast.alias) -> str:
    """An import of one of its names alone."""
    if isinstance(node, ast.Import):
        return spelled(ast.Import([alias]))
    return spelled(ast.ImportFrom(node.module, [alias], node.level))


def replaced(text: str, node: ast.stmt, other: str) -> str:
    """The text with this in the place of a statement."""
    lines = text.split("\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [f"{head}{other}{tail}", *[""] * (last - first)]
    return "\n".join(lines)


def names_in(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    """The names in a piece of code; with `ast.Store`, those that it gives a value."""
    return {part.id for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, context)}  # fmt: skip


def bindings(tree: ast.Module) -> dict[str, str]:
    """Each name that the top level binds, with the code that does; the last one counts."""
    code: dict[str, str] = {}
    for node in _top(tree.body):
        if isinstance(node, DEFINITIONS):
            code[node.name] = spelled(node)
        elif isinstance(node, Import):
            code |= {_bound(alias): import_of(node, alias) for alias in node.names}
        else:
            code |= dict.fromkeys(sorted(_stored(node)), spelled(node))
    return code


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that the file itself runs, in blocks, too; not recursive: see `statements`."""
    waiting: list[ast.AST] = [*reversed(body)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, DEFINITIONS):
            waiting += reversed([*_blocks(node)])


def _blocks(node: ast.AST) -> Iterator[ast.AST]:
    for block in BLOCKS:
        yield from getattr(node, block, None) or ()


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _stored(node: ast.stmt) -> set[str]:
    """The names that a statement itself gives a value, and not what is in it."""
    parts: list[ast.AST] = [] if any(_blocks(node)) else [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        parts = [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        parts = [*node.items]
    return {name for part in parts for name in names_in(part, ast.Store)}


# -- other names


def renamed(text: str, names: Names) -> str:
    """The text with other names in the place of these of its top level."""
    lines = text.split("\n")
    for number, first, end, name in sorted(_edits(ast.parse(text), names, lines), reverse=True):
        line = lines[number - 1].encode()
        lines[number - 1] = (line[:first] + name.encode() + line[end:]).decode()
    return "\n".join(lines)


def _edits(node: ast.AST, names: Names, lines: list[str]) -> Iterator[Edit]:
    new = ""
    if isinstance(node, ast.Name):
        new = names.get(node.id, "")
    elif isinstance(node, ast.alias) and _bound(node) in names:
        new = f"{node.name} as {names[_bound(node)]}"
    elif isinstance(node, ast.Global):
        new = f"global {', '.join(names.get(name, name) for name in node.names)}"
    elif isinstance(node, DEFINITIONS) and node.name in names:
        word = re.compile(rb"\b" + re.escape(node.name.encode()) + rb"\b")
        if match := word.search(lines[node.lineno - 1].encode(), node.col_offset):
            yield node.lineno, match.start(), match.end(), names[node.name]
    if new and isinstance(node, ast.Name | ast.alias | ast.Global):
        yield node.lineno, node.col_offset, node.end_col_offset or 0, new
    for child, inner in _children(node, names):
        yield from _edits(child, inner, lines)


def _children(node: ast.AST, names: Names) -> Iterator[tuple[ast.AST, Names]]:
    """What a node holds, each with those of the names that mean the same there."""
    inner = names
    if isinstance(node, COMPREHENSIONS):
        targets = [names_in(part.target, ast.Store) for part in node.generators]
        inner = _without(names, set().union(*targets))
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        inner = _without(names, _locals(node))
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.ClassDef):  # no function in it sees its names
            own = child in node.body and not isinstance(child, FUNCTIONS)
            yield child, inner if own else names
        elif not isinstance(node, FUNCTIONS) or child in _body(node):
            yield child, inner
        elif isinstance(child, ast.arguments):
            yield from ((part, names) for part in ast.iter_child_nodes(child))
        else:
            yield child, names


def _body(function: ast.AST) -> list[ast.AST]:
    body = getattr(function, "body", [])
    return body if isinstance(body, list) else [body]


def _without(names: Names, local: set[str]) -> Names:
    return {old: new for old, new in names.items() if old not in local}


def _locals(node: ast.AST) -> set[str]:
    """The names that a function or a class binds itself."""
    arguments = getattr(node, "args", None)
    parts = ast.walk(arguments) if arguments else ()
    local = {part.arg for part in parts if isinstance(part, ast.arg)}
    declared: set[str] = set()
    waiting: list[ast.AST] = list(_body(node))
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Global):
            declared |= {*part.names}
        elif isinstance(part, DEFINITIONS):
            local.add(part.name)
        elif isinstance(part, ast.alias):
            local.add(_bound(part))
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            local.add(part.id)
        if not isinstance(part, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)):
            waiting += ast.iter_child_nodes(part)
    return local - declared
