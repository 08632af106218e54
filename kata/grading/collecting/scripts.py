"""A Python file with several exercises, as the cells of a notebook: each definition is one.

What is taken from it, and why, is said in `notebooks`. Lines are those of the file. If a part is
not Python, the others count, as in a notebook.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.course.notebooks.notebook_file import LARGEST_CODE, NotebookCell
from kata.course.source import contract, is_private
from kata.grading.collecting.names import ShortName, slug_in
from kata.grading.collecting.notebooks import Claimed, Taken, exercises_of
from kata.grading.collecting.syntax import DEFINITIONS, parsed

LARGEST_SCRIPT = LARGEST_CODE  # bytes: as much code as in a notebook
LARGEST_GROUP = 1 << 12  # characters of statements between two definitions that make one cell
DEFINED = re.compile(
    r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE
)
WRITTEN = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
# At the start of a line, these do not begin a statement of their own.
CONTINUED = re.compile(r"\s|#|[)\]}]|(?:else|elif|except|finally)\b")


def asked_of(slug: str) -> set[str]:
    """The names that an exercise asks for; none if it is no exercise."""
    return {*contract(exercises()[slug]).names} if slug else set()


def defined(text: str) -> set[str]:
    """The names of exercises' contracts that a text seems to define, wherever in it."""
    return {name or variable for name, variable in DEFINED.findall(text)} & _asked()


@cache
def _asked() -> frozenset[str]:
    return frozenset(name for slug in exercises() for name in asked_of(slug))


def is_of_another(slug: str, text: str) -> bool:
    """Whether it is another exercise's, and nothing in it may be this one's, misspelled."""
    asked = asked_of(slug)
    written = {*WRITTEN.findall(text)}
    unknown = written - _asked()
    if defined(text) & asked or any(did_you_mean(name, [*asked]) for name in unknown):
        return False
    public = {name for name in written if not is_private(name)}
    held = any(names <= written or (public and public <= names)
               for names in map(asked_of, exercises()))  # fmt: skip
    return held and parsed(text) is not None


def exercises_in_script(name: ShortName, text: str) -> Iterator[Taken]:
    """All that a file holds, in course order, with its lines for the cells of a notebook."""
    own = Claimed(name.slug, bool(name.slug))
    for taken in exercises_of(own, [*cells_of(text)]):
        places = {at: (1, first + line - 1) for at, (first, line) in taken.places.items()}
        yield replace(taken, places=places)


@dataclass(frozen=True)
class Piece:
    """Some lines of a file, which can be read without the others."""

    first: int  # its first line, counted from one
    last: int
    whole: bool  # whether it is one definition, and nothing else


def cells_of(text: str) -> Iterator[NotebookCell]:
    """Its definitions, and what is between them; a cell's number is the line it begins at.

    Each is of the exercise that the last heading above it names: `# Exercise 7: heads`.
    """
    lines, heading, read = text.split("\n"), "", 0
    for piece in _pieces(text, lines):
        above = [slug_in(line) for line in lines[read : piece.first - 1] if line.startswith("#")]
        heading = next(filter(None, reversed(above)), heading)
        read = piece.last
        code = "\n".join(lines[piece.first - 1 : piece.last])
        yield NotebookCell(piece.first, code, labels=(heading.partition("_")[0],))


def _pieces(text: str, lines: Sequence[str]) -> Iterator[Piece]:
    """Definitions, and what is between them, in pieces that are not too long."""
    tree = parsed(text)
    last: Piece | None = None
    for piece in _of_lines(lines) if tree is None else map(_piece, tree.body):
        if last and (piece.first <= last.last or _fit(last, piece, lines)):
            last = Piece(last.first, piece.last, whole=False)
        else:
            yield from [last] if last else []
            last = piece
    yield from [last] if last else []


def _fit(piece: Piece, following: Piece, lines: Sequence[str]) -> bool:
    """Whether neither is a definition, nothing is said between them, and they are short enough."""
    between = lines[piece.last : following.first - 1]
    if piece.whole or following.whole or any(map(slug_in, between)):
        return False
    return sum(1 + len(line) for line in lines[piece.first - 1 : following.last]) <= LARGEST_GROUP


def _piece(node: ast.stmt) -> Piece:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return Piece(first, node.end_lineno or first, isinstance(node, DEFINITIONS))


def _of_lines(lines: Sequence[str]) -> Iterator[Piece]:
    """Cut before each line that begins a statement at the left margin; decorators stay on top."""
    starts = [at for at, line in enumerate(lines, 1) if line and not CONTINUED.match(line)]
    starts = [at for at in starts if at == 1 or not lines[at - 2].startswith("@")]
    for first, following in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        yield Piece(first, following - 1, bool(DEFINED.match(lines[first - 1])))
