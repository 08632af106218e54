"""A Python file with several exercises, as the cells of a notebook: each definition is one.

What is taken from it, and why, is said in `notebooks`. Lines are those of the file. If a part is
not Python, the others count, as in a notebook.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.course.notebooks.notebook_file import LARGEST_CODE, Notebook, NotebookCell
from kata.course.source import TOO_DEEP, contract, is_private
from kata.grading.collecting.handed_text.short_names import ShortName, slug_in
from kata.grading.collecting.notebooks import Claimed, Taken, exercises_of

LARGEST_SCRIPT = LARGEST_CODE  # bytes: as much code as in a notebook
LARGEST_GROUP = 1 << 12  # characters of statements between two definitions that make one cell
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
DEFINED = re.compile(
    r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE
)
WRITTEN = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
# At the start of a line, these do not begin a statement of their own.
CONTINUED = re.compile(r"\s|#|[)\]}]|(?:else|elif|except|finally)\b")


@dataclass(frozen=True)
class Piece:
    """Some lines of a file, which can be read without the others."""

    first: int  # its first line, counted from one
    last: int
    whole: bool  # whether it is one definition, and nothing else

    def with_next(self, other: "Piece") -> "Piece":
        """Both of them."""
        return Piece(self.first, other.last, whole=False)


def text_of(content: bytes) -> str:
    """The text of a Python file, with its lines ended in one way; empty if it cannot be decoded."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return io.TextIOWrapper(io.BytesIO(content), encoding).read()
    except (UnicodeError, SyntaxError, LookupError):
        return ""


def defined(text: str) -> set[str]:
    """The names of exercises' contracts that a text seems to define, wherever in it."""
    return {one or other for one, other in DEFINED.findall(text)} & _asked()


@cache
def _asked() -> frozenset[str]:
    every = exercises().values()
    return frozenset(name for each in every for name in contract(each).names)


def is_of_another(slug: str, text: str) -> bool:
    """Whether it is another exercise's, and nothing in it may be this one's, misspelled."""
    asked = contract(exercises()[slug]).names
    written = {*WRITTEN.findall(text)}
    unknown = written - _asked()
    if defined(text) & {*asked} or any(did_you_mean(each, asked) for each in unknown):
        return False
    public = {each for each in written if not is_private(each)}
    others = [{*contract(each).names} for each in exercises().values()]
    held = any(names <= written or (public and public <= names) for names in others)
    return held and _of_python(text) is not None


def exercises_in_script(name: ShortName, text: str) -> Iterator[Taken]:
    """All that a file holds, in course order, with its lines for the cells of a notebook."""
    own = Claimed(name.slug, bool(name.slug))
    for each in exercises_of(own, Notebook(tuple(cells_of(text)))):
        places = {at: (1, first + line - 1) for at, (first, line) in each.places.items()}
        yield replace(each, places=places)


def cells_of(text: str) -> Iterator[NotebookCell]:
    """Its definitions, and what is between them; a cell's number is the line it begins at.

    Each is of the exercise that the last heading above it names: `# Exercise 7: heads`.
    """
    lines, heading, read = text.split("\n"), "", 0
    for each in _pieces(text):
        above = (slug_in(line) for line in lines[read : each.first - 1] if line.startswith("#"))
        heading = next(filter(None, reversed([*above])), heading)
        read = each.last
        piece = "\n".join(lines[each.first - 1 : each.last])
        yield NotebookCell(each.first, piece, labels=(heading.partition("_")[0],))


def _pieces(text: str) -> Iterator[Piece]:
    """Definitions, and what is between them, in pieces that are not too long."""
    lines = text.split("\n")
    found = _of_python(text)
    last: Piece | None = None
    for each in _of_lines(lines) if found is None else found:
        if last and (each.first <= last.last or _fit(last, each, lines)):
            last = last.with_next(each)
        else:
            yield from [last] if last else []
            last = each
    yield from [last] if last else []


def _fit(one: Piece, other: Piece, lines: Sequence[str]) -> bool:
    """Whether neither is a definition, nothing is said between them, and they are short enough."""
    if one.whole or other.whole or any(map(slug_in, lines[one.last : other.first - 1])):
        return False
    return sum(1 + len(each) for each in lines[one.first - 1 : other.last]) <= LARGEST_GROUP


def _of_python(text: str) -> list[Piece] | None:
    """A piece for each statement; None if the text is not Python."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, *TOO_DEEP):
        return None
    return [_piece(each) for each in body]


def _piece(node: ast.stmt) -> Piece:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return Piece(first, node.end_lineno or first, isinstance(node, DEFINITIONS))


def _of_lines(lines: Sequence[str]) -> Iterator[Piece]:
    """Cut before each line that begins a statement at the left margin; decorators stay on top."""
    starts = [at for at, line in enumerate(lines, 1) if line and not CONTINUED.match(line)]
    starts = [at for at in starts if at == 1 or not lines[at - 2].startswith("@")]
    for first, following in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        yield Piece(first, following - 1, bool(DEFINED.match(lines[first - 1])))
