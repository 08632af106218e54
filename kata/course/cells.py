"""The cells of a notebook as the text of an exercise file: the same for a kernel and a grader.

What a contract asks for is taken from where it is defined last, with exactly the statements that it
needs: imports, constants, helpers. Experiments, prints, plots, magics and cells that are not Python
are left out. Nothing is run.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kata.course.curriculum import Exercise
from kata.course.names_in_code import Uses, bound, changed_by, uses
from kata.course.source import TOO_DEEP, contract

# Magics whose cells are Python all the same, and run in the notebook's own names.
PYTHON_MAGICS = {"%%time", "%%capture", "%%prun"}
MAGIC = ("%", "!", "?")
IN_CELLS = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
AT_THE_END = 1 << 62  # the position at which functions are called
BLANK = ["", ""]  # after a definition


@dataclass(frozen=True)
class Cell:
    """A code cell, with the number by which its author knows it."""

    number: int
    text: str


@dataclass(frozen=True)
class Assembly:
    """The text of an exercise, and where it came from.

    Attributes:
        text: as it would stand in a file.
        places: of each of its lines, the number of the cell and the line in it.
        missing: what the contract asks for and no cell defines.
        unread: the numbers of the cells that are not Python.
        hidden: names that are defined in several cells, with the numbers of those cells.
    """

    text: str
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()
    hidden: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """One statement of the top level of a cell."""

    at: int  # its position among those of all cells
    cell: Cell
    lines: tuple[str, ...]  # of the cell, without magics
    node: ast.stmt

    @property
    def first(self) -> int:
        """The line in the cell at which it begins, decorators included."""
        decorators: list[ast.expr] = getattr(self.node, "decorator_list", [])
        return min([self.node.lineno, *(each.lineno for each in decorators)])

    def text(self) -> list[str]:
        """Its own lines; of a line that holds several statements, its own part."""
        found = list(self.lines[self.first - 1 : self.node.end_lineno])
        end = self.node.end_col_offset
        found[-1] = found[-1].encode()[:end].decode()
        if self.first == self.node.lineno:
            found[0] = found[0].encode()[self.node.col_offset :].decode()
        return found


def assembled(cells: Iterable[Cell], exercise: Exercise) -> Assembly:
    """What these cells, run in this order, define of an exercise."""
    statements, unread = _statements(cells)
    wanted = contract(exercise).names
    found = _Search(statements)
    for name in wanted:
        found.need(name, AT_THE_END)
    text, places = _written(found.kept)
    missing = tuple(name for name in wanted if not found.defines(name))
    hidden = {name: each for name in wanted if len(each := found.cells_with(name)) > 1}
    return Assembly(text, places, missing, tuple(unread), hidden)


def _statements(cells: Iterable[Cell]) -> tuple[list[Statement], list[int]]:
    """Those of all cells that are Python, in order; and the numbers of the other cells."""
    found: list[Statement] = []
    unread: list[int] = []
    for cell in cells:
        lines = without_magics(cell.text)
        try:
            tree = compile("\n".join(lines), "cell", "exec", IN_CELLS)
        except (SyntaxError, *TOO_DEEP):
            unread.append(cell.number)
            continue
        assert isinstance(tree, ast.Module)
        found += [
            Statement(at, cell, tuple(lines), node)
            for at, node in enumerate(tree.body, start=len(found))
        ]
    return found, unread


def without_magics(text: str) -> list[str]:
    """The lines, with blank ones in place of what Jupyter understands and Python does not."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[start].startswith("%%"):
        if lines[start].split()[0] not in PYTHON_MAGICS:
            return [""] * len(lines)
        lines[start] = ""
    return ["" if _is_magic(line) else line for line in lines]


def _is_magic(line: str) -> bool:
    """A magic, a shell command, a question; also one whose result is assigned."""
    stripped = line.strip()
    if stripped.startswith(MAGIC) or (stripped.endswith("?") and " " not in stripped):
        return True
    name, assigned, value = stripped.partition("=")
    return bool(assigned) and name.strip().isidentifier() and value.strip().startswith(MAGIC[:2])


class _Search:
    """Finds the statements that a name needs."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._kept: dict[int, Statement] = {}
        self._asked: set[tuple[str, int]] = set()
        self._owners: dict[str, list[Statement]] = {}
        self._changes: dict[str, list[Statement]] = {}
        for each in statements:
            for name in bound(each.node):
                self._owners.setdefault(name, []).append(each)
            for name in changed_by(each.node):
                self._changes.setdefault(name, []).append(each)

    @property
    def kept(self) -> list[Statement]:
        """What is needed, in order; what changes how Python reads the rest comes first."""
        found = [self._kept[at] for at in sorted(self._kept)]
        return [*self._future(), *found] if found else []

    def _future(self) -> Iterator[Statement]:
        for each in self._statements:
            if isinstance(each.node, ast.ImportFrom) and each.node.module == "__future__":
                yield each

    def defines(self, name: str) -> bool:
        """Whether any cell does."""
        return name in self._owners

    def cells_with(self, name: str) -> tuple[int, ...]:
        """The numbers of the cells that define it, each once, the one that counts last."""
        numbers = [each.cell.number for each in self._owners.get(name, ())]
        return tuple(dict.fromkeys(reversed(numbers)))[::-1]

    def need(self, name: str, before: int) -> None:
        """Keep what a name stands for at this position, and all that this needs in turn."""
        waiting = [(name, before)]
        while waiting:
            asked = waiting.pop()
            if asked not in self._asked:
                self._asked.add(asked)
                waiting += [need for each in self._meant(*asked) for need in self._keep(each)]

    def _meant(self, name: str, before: int) -> list[Statement]:
        """The last statement before a position that binds a name, and what changes its value."""
        owners = [each for each in self._owners.get(name, ()) if each.at < before]
        if not owners:
            return [] if hasattr(builtins, name) else self._imports_of_all(before)
        last = owners[-1]
        if isinstance(last.node, ast.Import | ast.ImportFrom):
            return [last]  # a library is not changed by what is done with it
        later = [each for each in self._changes.get(name, ()) if last.at < each.at < before]
        return [last, *later]

    def _imports_of_all(self, before: int) -> list[Statement]:
        """`from library import *` may bring any name."""
        return [each for each in self._owners.get("*", ()) if each.at < before]

    def _keep(self, statement: Statement) -> Iterator[tuple[str, int]]:
        """The names that a statement needs, each with the position at which it is looked up."""
        if statement.at not in self._kept:
            self._kept[statement.at] = statement
            found: Uses = uses(statement.node)
            yield from ((name, statement.at) for name in found.at_once)
            yield from ((name, AT_THE_END) for name in found.later)


def _written(statements: Sequence[Statement]) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text of all of them, and where each line came from."""
    lines: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for each in statements:
        for offset, line in enumerate(each.text()):
            lines.append(line)
            places[len(lines)] = each.cell.number, each.first + offset
        lines += BLANK if isinstance(each.node, ast.FunctionDef | ast.ClassDef) else []
    return "\n".join(lines) + "\n", places
