"""Names of the top level of a file: what binds them, and others in their place.

Every line stays, so that a place in the text is still one in the file.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kata.course.source import BLOCKS, spelled

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Names = Mapping[str, str]


def bindings(tree: ast.Module) -> dict[str, str]:
    """Each name that the top level binds, with the code that does; the last one counts."""
    found: dict[str, str] = {}
    for node in _top(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = spelled(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {_bound(each): spelled(_of_one(node, each)) for each in node.names}
        else:
            found |= dict.fromkeys(sorted(_stored(node)), spelled(node))
    return found


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that the file itself runs, in blocks, too."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in BLOCKS:
                for each in getattr(node, block, None) or ():
                    inner = each if isinstance(each, ast.stmt) else None
                    yield from _top([inner] if inner else getattr(each, "body", []))


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _of_one(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(node.module, [alias], node.level)


def _stored(node: ast.AST) -> set[str]:
    """The names that a statement itself gives a value, and not what is in it."""
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        parts = [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        parts = [*node.items]
    elif any(getattr(node, each, None) for each in BLOCKS):
        parts = []
    return {each.id for part in parts for each in ast.walk(part)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """A name at a place, in the bytes of a line, and the one that is to stand there."""

    line: int
    first: int
    end: int
    name: str


def renamed(text: str, names: Names) -> str:
    """The text with other names in the place of these of its top level."""
    lines = text.split("\n")
    edits = sorted(_edits(ast.parse(text), names, lines), key=lambda each: (each.line, each.first))
    for edit in reversed(edits):
        line = lines[edit.line - 1].encode()
        line = line[: edit.first] + edit.name.encode() + line[edit.end :]
        lines[edit.line - 1] = line.decode()
    return "\n".join(lines)


def _edits(node: ast.AST, names: Names, lines: list[str]) -> Iterator[Edit]:
    if isinstance(node, ast.Name) and node.id in names:
        yield Edit(node.lineno, node.col_offset, node.end_col_offset or 0, names[node.id])
    elif isinstance(node, ast.alias) and _bound(node) in names:
        new = f"{node.name} as {names[_bound(node)]}"
        yield Edit(node.lineno, node.col_offset, node.end_col_offset or 0, new)
    elif isinstance(node, ast.Global):
        new = f"global {', '.join(names.get(each, each) for each in node.names)}"
        yield Edit(node.lineno, node.col_offset, node.end_col_offset or 0, new)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from _head(node, names, lines)
    for child, inner in _children(node, names):
        yield from _edits(child, inner, lines)


def _head(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, names: Names, lines: list[str]
) -> Iterator[Edit]:
    if node.name not in names:
        return
    line = lines[node.lineno - 1].encode()
    word = re.compile(rb"\b" + re.escape(node.name.encode()) + rb"\b")
    if found := word.search(line, node.col_offset):
        yield Edit(node.lineno, found.start(), found.end(), names[node.name])


def _children(node: ast.AST, names: Names) -> Iterator[tuple[ast.AST, Names]]:
    """What a node holds, each with those of the names that mean the same there."""
    inner = names
    if isinstance(node, FUNCTIONS):
        inner = _without(names, _locals(node))
    elif isinstance(node, COMPREHENSIONS):
        targets = {name for each in node.generators for name in _stored(each.target)}
        inner = _without(names, targets)
    own = _without(names, _locals(node)) if isinstance(node, ast.ClassDef) else names
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.ClassDef) and child in node.body:
            yield child, names if isinstance(child, FUNCTIONS) else own
        elif isinstance(node, FUNCTIONS) and child not in _body(node):
            yield from ((each, names) for each in ast.iter_child_nodes(child)
                        if isinstance(child, ast.arguments))  # fmt: skip
            yield from [] if isinstance(child, ast.arguments) else [(child, names)]
        else:
            yield child, inner


def _body(function: ast.AST) -> list[ast.AST]:
    body = getattr(function, "body", [])
    return body if isinstance(body, list) else [body]


def _without(names: Names, local: set[str]) -> Names:
    return {old: new for old, new in names.items() if old not in local}


def _locals(node: ast.AST) -> set[str]:
    """The names that a function or a class binds itself."""
    arguments = getattr(node, "args", None)
    found = {each.arg for each in ast.walk(arguments) if isinstance(each, ast.arg)} \
        if arguments else set()  # fmt: skip
    declared: set[str] = set()
    waiting: list[ast.AST] = list(_body(node))
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Global):
            declared |= {*part.names}
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(part.name)
        elif isinstance(part, ast.alias):
            found.add(_bound(part))
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        if not isinstance(part, (*FUNCTIONS, *COMPREHENSIONS, ast.FunctionDef, ast.ClassDef)):
            waiting += ast.iter_child_nodes(part)
    return found - declared
