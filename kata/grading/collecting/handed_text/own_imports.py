"""Imports of other exercises, however a student writes them, as between files of one folder.

`from ex01 import softmax`, `from exercises.ex01_softmax import softmax` and `import ex01_softmax`
all mean `.ex01_softmax`. Every line keeps its number.
"""

import ast
import re
from collections.abc import Iterator

from kata.course.curriculum import exercises
from kata.course.source import TOO_DEEP, statements

# An import of another exercise, unless it is written as between files of one folder.
SIGN = re.compile(
    r"^[ \t]*(?!from[ \t]+\.ex\d\d_\w+[ \t]+import\b)(?:from|import)\b.*"
    r"(?:\bex\d|\bexercises\b|import[ \t]*\()",
    re.MULTILINE | re.IGNORECASE,
)
LINE = re.compile(r"^([ \t]*)((?:from|import)\b.*)$", re.MULTILINE)
MARK = "\ufeff"  # with which some editors begin a text
NAME = re.compile(r"(ex\d\d?)(_\w+)?", re.IGNORECASE)
OURS = {"solutions", "kata"}  # what lies there is the kata's own


def own_imports(content: bytes, own: str = "") -> bytes:
    """The same for the content of a file; `own` is the exercise that it is."""
    text = content.decode("utf-8", "surrogateescape")
    return with_own_imports(text, own).encode("utf-8", "surrogateescape")


def with_own_imports(text: str, own: str = "") -> str:
    """The text with imports of other exercises in the one way that is judged."""
    if not SIGN.search(text):
        return text
    mark = MARK if text.startswith(MARK) else ""
    text = text.removeprefix(MARK)
    found = _in_python(text, own)
    return mark + (LINE.sub(lambda line: _in_line(line, own), text) if found is None else found)


def _in_python(text: str, own: str) -> str | None:
    """None if it is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, *TOO_DEEP):
        return None
    for node in reversed(imports(tree)):
        if parts := [*_rewritten(node, own)]:
            text = replaced(text, node, "; ".join(parts))
    return text


def _in_line(line: re.Match[str], own: str) -> str:
    """A line of a text that is no Python as a whole, such as a cell with a magic."""
    return line[1] + (_in_python(line[2], own) or line[2])


def imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """All imports of a file, in the order in which they stand there."""
    found = [each for each in statements(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def replaced(text: str, node: ast.stmt, other: str) -> str:
    """The text with this in the place of a statement."""
    lines = text.split("\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [f"{head}{other}{tail}", *[""] * (last - first)]
    return "\n".join(lines)


def _rewritten(node: ast.Import | ast.ImportFrom, own: str) -> Iterator[str]:
    """What stands in its place; nothing if it is about no other exercise."""
    if isinstance(node, ast.ImportFrom) and (slug := _meant(node.module or "", own)):
        yield f"from .{slug} import {', '.join(map(_spelled, node.names))}"
        return
    outer = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    slugs = [_meant(f"{outer}.{each.name}", own) for each in node.names]
    if not all(slugs):
        return
    for slug, each in zip(slugs, node.names, strict=True):
        name = each.asname or each.name.rpartition(".")[2]
        yield f"from . import {slug}" + (f" as {name}" if name != slug else "")


def _meant(dotted: str, own: str) -> str:
    """The exercise that a module is called after; empty if it is none, or the file's own."""
    *outer, name = dotted.split(".")
    match = NAME.fullmatch(name)
    if not match or OURS.intersection(outer):
        return ""
    short = f"ex{int(match[1][2:]):02}"
    slug = next((slug for slug, each in exercises().items() if each.short == short), "")
    whole = match[2] and slug.casefold() == f"{short}{match[2].casefold()}"
    short_of = not match[2] and {*outer} <= {"", "exercises"}
    return slug if slug != own and (whole or short_of) else ""


def _spelled(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
