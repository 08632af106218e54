"""The statements of a cell, without those that only Jupyter understands; lines keep their numbers.

Jupyter also takes magics, shell commands and questions, and stops at a `return`.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from kata.course.names_in_code import Effects, effects
from kata.course.source import TOO_DEEP

IN_CELLS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # which no file has
# A cell has no folder: `from kata.earlier.ex07_heads import …` is `from .ex07_heads import …`.
EARLIER = re.compile(r"^from\s+kata\.earlier\.")
# Magics of cells that are Python all the same, and run in the notebook's own names.
PYTHON_CELLS = {"%%time", "%%capture", "%%prun"}
# No statement of Python begins with one of these. The last three call functions without brackets.
ESCAPES = ("%", "!", "?", ",", ";", "/")
ASSIGNED = re.compile(r"[\w\s.,*\[\]()]+=\s*(%\s*\w|!(?!=))")  # `files = !ls`
TIMED = re.compile(r"(\s*)%time\s+(?=\S)")  # the rest of the line is run in the notebook's names
PROMPT = re.compile(r"(>>>|\.\.\.)( |$)")
TRIPLE = "'''", '"""'
# A comment or a string that ends in its line, the start of one that need not, or a bracket.
TOKENS = re.compile(
    r"#.*|'''|\"\"\"|'(?:\\.|[^'\\])*(?:'|\\?$)|\"(?:\\.|[^\"\\])*(?:\"|\\?$)|[()\[\]{}]"
)
ENDS = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in TRIPLE}


class Part(NamedTuple):
    """A statement of the top level of a cell, without its syntax tree, which is large.

    Attributes:
        first: the line in the cell at which it begins.
        lines: its own; of a line that holds several statements, its own part.
    """

    first: int
    lines: tuple[str, ...]
    kind: type[ast.stmt]
    effects: Effects


@lru_cache(maxsize=512)
def parts_of(text: str) -> tuple[list[Part], bool]:
    """Return the statements of a cell, and whether a part of the cell is not Python."""
    try:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError:
            lines = without_magics("\n".join(lines))
            tree = ast.parse("\n".join(lines))
    except (SyntaxError, *TOO_DEEP):
        return [], True
    nodes, broken = _runnable(tree)
    return [_part(node, lines) for node in nodes if not _asks_for_its_name(node)], broken


def _runnable(tree: ast.Module) -> tuple[list[ast.stmt], bool]:
    """Return the statements that a file can run, up to where Jupyter stops, too: at `return`."""
    if _compiles(tree.body):
        return tree.body, False
    statements: list[ast.stmt] = []
    for node in tree.body:
        if _compiles([node]):
            statements.append(node)
        elif not _compiles([node], IN_CELLS):
            return statements, True
    return statements, False


def _compiles(nodes: list[ast.stmt], flags: int = 0) -> bool:
    try:
        compile(ast.Module(nodes, []), "cell", "exec", flags, dont_inherit=True)
    except (SyntaxError, *TOO_DEEP):
        return False
    return True


def _asks_for_its_name(node: ast.stmt) -> bool:
    """Recognise `if __name__ == "__main__":`, which is for programs: an import leaves it out."""
    names = ast.walk(node.test) if isinstance(node, ast.If) else ()
    return any(isinstance(name, ast.Name) and name.id == "__name__" for name in names)


def _part(node: ast.stmt, source: Sequence[str]) -> Part:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(expression.lineno for expression in decorators)])
    lines = list(source[first - 1 : node.end_lineno])
    lines[-1] = lines[-1].encode()[: node.end_col_offset].decode()
    if first == node.lineno:
        lines[0] = lines[0].encode()[node.col_offset :].decode()
    if isinstance(node, ast.ImportFrom):
        lines[0] = EARLIER.sub("from .", lines[0])
    return Part(first, tuple(lines), type(node), effects(node))


# -- magics, shell commands and questions


def without_magics(text: str) -> list[str]:
    """Return the lines as Python; `pass` replaces a magic, since a block needs a statement."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.strip()), 0)
    lines[start:] = _without_margin(lines[start:])
    while start < len(lines) and lines[start].startswith("%%"):
        if lines[start].split()[0] not in PYTHON_CELLS:
            return [""] * len(lines)
        lines[start] = ""
        start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    for at in _starts(lines):
        _replace(lines, at)
    return lines


def _without_margin(lines: list[str]) -> list[str]:
    """Unindent a cell that is indented as a whole, and drop the prompts of an example."""
    if PROMPT.match(lines[0]):
        return [PROMPT.sub("", line, count=1) if PROMPT.match(line) else line for line in lines]
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    return [line.removeprefix(margin) for line in lines]


def _starts(lines: list[str]) -> Iterator[int]:
    """Yield the lines that begin a statement; the caller may replace a line before the next."""
    quote, depth, continued = "", 0, False
    for at in range(len(lines)):
        if not (quote or depth or continued):
            yield at
        quote, depth, continued = _after(lines[at], quote, depth)


def _replace(lines: list[str], at: int) -> None:
    """Replace the magic that begins here, if there is one, with all lines that belong to it."""
    line = lines[at] = TIMED.sub(r"\1", lines[at], count=1)
    if not _is_magic(line):
        return
    lines[at] = line[: len(line) - len(line.lstrip())] + "pass"
    while line.endswith("\\") and at + 1 < len(lines):
        at += 1
        line, lines[at] = lines[at], ""


def _is_magic(line: str) -> bool:
    """Recognise a magic, a shell command and a question, with an assignment or without."""
    if line.lstrip().startswith(ESCAPES) or ASSIGNED.match(line):
        return True
    return line.rstrip().endswith("?") and TOKENS.sub("", line).rstrip().endswith("?")


def _after(line: str, quote: str, depth: int) -> tuple[str, int, bool]:
    """Return what is open after a line: a string, brackets, and whether a backslash ends it."""
    at = 0
    while quote or (match := TOKENS.search(line, at)):
        if quote:
            end = ENDS[quote].match(line, at)
            if not end:
                return quote, depth, False
            at, quote = end.end(), ""
            continue
        assert match
        if match[0].startswith("#"):
            return "", depth, False
        at, quote = match.end(), match[0] if match[0] in TRIPLE else ""
        depth = max(0, depth + (match[0] in "([{") - (match[0] in ")]}"))
    return "", depth, line.endswith("\\")
