"""The cells of a notebook as the text of an exercise file: the same for a kernel and a grader.

What a contract asks for is taken from where it is defined last, with exactly the statements that it
needs: imports, constants, helpers. Experiments, prints, plots, magics and cells that are not Python
are left out. Nothing is run.
"""

import ast
import builtins
import re
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from kata.course.contract import unwritten
from kata.course.curriculum import Exercise
from kata.course.magics import without_magics
from kata.course.names_in_code import Effects, Uses, effects, uses
from kata.course.source import LARGEST, TOO_DEEP, UnusableError, contract, too_large

MOST = 1 << 20  # characters of code in all cells, a hundred times what a long notebook has
IN_CELLS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # which no file has
MOST_STEPS = 200_000  # of a search; a long notebook takes hundreds
AT_THE_END = 1 << 62  # the position at which functions are called
BLANK = ["", ""]  # after a definition
# A cell has no folder: `from kata.earlier.ex07_heads import …` is `from .ex07_heads import …`.
EARLIER = re.compile(r"^from\s+kata\.earlier\.")
STAR = "*"
IMPORTS = (ast.Import, ast.ImportFrom)
# What `from numpy import *` and `from torch import *` put in place of Python's own.
OF_STARS = {"abs", "all", "any", "bool", "compile", "complex", "divmod", "float", "int", "max",
            "min", "pow", "range", "round", "sum"}  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A code cell, with the number by which its author knows it.

    Attributes:
        ran: its place in the order in which cells were run, if that is known.
    """

    number: int
    text: str
    ran: int = 0


@dataclass(frozen=True)
class Assembly:
    """The text of an exercise, and where it came from.

    Attributes:
        text: as it would stand in a file.
        places: of each of its lines, the number of the cell and the line in it.
        missing: what the contract asks for and no cell defines.
        unread: the numbers of the cells that are not Python, or have a part that is not.
        large: the numbers of the cells that were not read because they are longer than any file.
        hidden: names of the contract and of what it needs that have several definitions, with the
            numbers of those cells; the last one counts.
        ran_last: of those, the cell that was run last, where it is not the one that counts.
    """

    text: str
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()
    large: tuple[int, ...] = ()
    hidden: dict[str, tuple[int, ...]] = field(default_factory=dict)
    ran_last: dict[str, int] = field(default_factory=dict)


def assembled(cells: Iterable[Cell], exercise: Exercise, names: Sequence[str] = ()) -> Assembly:
    """What these cells, run in this order, define of an exercise, or of these names alone.

    Raises UnusableError if that is too large for a file.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever runs a cell is warned of it then
        read = tuple(cells)
        notebook = _read(read, exercise.slug if _mention(read, exercise.slug) else "")
        search = _Search(notebook, exercise)
        wanted = names or contract(exercise).names
        for name in wanted:
            search.need(name, AT_THE_END)
    text, places = _written(search.kept)
    _refuse_large(len(text.encode()), exercise)
    missing = tuple(name for name in wanted if not notebook.meant(name, AT_THE_END))
    hidden, last = _several({name: notebook.versions(name) for name in search.looked_up})
    return Assembly(text, places, missing, notebook.unread, notebook.large, hidden, last)


def _several(versions: dict[str, list[Cell]]) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
    """The cells of names that are defined in more than one; and which of them ran last of all."""
    hidden: dict[str, tuple[int, ...]] = {}
    last: dict[str, int] = {}
    for name, cells in versions.items():
        numbers = dict.fromkeys(cell.number for cell in reversed(cells))
        if len(numbers) > 1:
            hidden[name] = tuple(numbers)[::-1]
            latest = max(cells, key=lambda cell: cell.ran)
            last |= {name: latest.number} if latest.ran > cells[-1].ran else {}
    return hidden, last


def completed(assembly: Assembly, exercise: Exercise) -> Assembly:
    """The same with the stubs of what no cell defines: not written yet is no error."""
    return replace(assembly, text=assembly.text + unwritten(exercise, assembly.missing))


def notes(assembly: Assembly, cell: Callable[[int], str] = "[{}]".format) -> Iterator[str]:
    """A sentence for each name with several definitions; `cell` spells the number of a cell."""
    for name, numbers in assembly.hidden.items():
        *others, last = map(cell, numbers)
        several = f"{', '.join(others)} and {last}"
        ran = assembly.ran_last.get(name)
        text = f"{name} is defined in cells {several}; {last} counts"
        late = "" if ran is None else f", as it does after Run All, though {cell(ran)} was run last"
        yield text + late


def _refuse_large(size: int, exercise: Exercise) -> None:
    if size > LARGEST:
        raise too_large(exercise.filename)


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement of the top level of a cell; without its syntax tree, which is large."""

    at: int  # its position among those of all cells
    cell: Cell
    first: int  # the line in the cell at which it begins
    lines: tuple[str, ...]
    kind: type[ast.stmt]
    effects: Effects

    @cached_property
    def uses(self) -> Uses:
        """The names that it needs."""
        return uses("\n".join(self.lines))


class _Notebook:
    """What all cells define: who binds, and who changes, which name.

    What is imported from the exercise `own` is no definition of it: another one in the same
    notebook uses it.
    """

    def __init__(self, cells: Sequence[Cell], own: str) -> None:
        self.large = tuple(cell.number for cell in cells if len(cell.text) > LARGEST)
        read = [(cell, *_parsed(cell.text)) for cell in cells if len(cell.text) <= LARGEST]
        self.unread = tuple(cell.number for cell, _, broken in read if broken)
        parts = ((cell, each) for cell, some, _ in read for each in some
                 if not (own and each[1][0].startswith(f"from .{own} ")))  # fmt: skip
        self.future: dict[tuple[str, ...], Statement] = {}
        self._owners: dict[str, list[Statement]] = {}
        self._changes: dict[str, list[Statement]] = {}
        self._set: dict[str, list[Statement]] = {}  # by a function that says `global`
        numbered = enumerate(parts)
        statements = [Statement(at, cell, *part) for at, (cell, part) in numbered]
        reach = _Reach(statements)
        for statement in statements:
            self._add(statement, reach.of(statement))

    def _add(self, statement: Statement, set_by_calls: set[str]) -> None:
        found = statement.effects
        if statement.lines[0].split()[:2] == ["from", "__future__"]:
            self.future[statement.lines] = statement  # wherever it stands
            return
        for table, names in (
            (self._owners, found.binds | found.deletes),
            (self._changes, found.changes | set_by_calls),
            (self._set, set_by_calls),
        ):
            for name in names:
                table.setdefault(name, []).append(statement)

    def meant(self, name: str, before: int, called: int = 0) -> list[Statement]:
        """What gives a name its value at this position; nothing if it has none.

        A value may still be changed until it is called: a base class is completed later.
        """
        statements = self._binding(name, before)
        if not statements:
            return _between(self._set.get(name, []), -1, before)
        start, end = statements[0].at, max(before, min(called, self._next(name, before)))
        if statements[0].kind in IMPORTS:  # a library is not changed by what is done with it
            earlier = _between(self._owners[name], -1, start)
            again = _between(self._set.get(name, []), start, before)
            return [
                *(statement for statement in earlier if _is_part(statement, name)),
                *statements,
                *again,
            ]
        return [*statements, *_between(self._changes.get(name, []), start, end)]

    def _next(self, name: str, before: int) -> int:
        """The position from which on the name stands for something else."""
        owners = self._owners[name]
        at = _count(owners, before)
        return owners[at].at if at < len(owners) else AT_THE_END

    def _binding(self, name: str, before: int) -> list[Statement]:
        """The last that surely binds it, and those after it that perhaps do."""
        owners, found = self._owners.get(name, []), []
        for at in range(_count(owners, before) - 1, -1, -1):
            last = owners[at]
            found.append(last)
            if last.effects.surely:
                break
        deleted = bool(found) and found[-1].effects.surely and name in found[-1].effects.deletes
        return found[::-1][deleted:]

    def deletion(self, name: str) -> Statement | None:
        """What deletes it for good, at the top of a cell."""
        last = self._owners.get(name, [None])[-1]
        return last if last and last.effects.surely and name in last.effects.deletes else None

    def stars(self, name: str, before: int) -> list[Statement]:
        """`from library import *` may bring any name but most of Python's own."""
        if hasattr(builtins, name) and name not in OF_STARS:
            return []
        return _between(self._owners.get(STAR, []), -1, before)

    def is_type(self, name: str) -> bool:
        """Whether it is imported or a class: what an annotation may name, and no experiment."""
        statements = self._binding(name, AT_THE_END)
        return bool(statements) and statements[-1].kind in (*IMPORTS, ast.ClassDef)

    def versions(self, name: str) -> list[Cell]:
        """The cells with its definitions, if these differ, the one that counts last.

        Nothing if nobody knows which one counts, or if it is only imported again.
        """
        owners = self._owners.get(name, [])
        alike = len({owner.lines for owner in owners}) < 2
        imported = all(owner.kind in IMPORTS for owner in owners)
        if alike or imported or self.deletion(name) or not owners[-1].effects.surely:
            return []
        return [owner.cell for owner in owners if name in owner.effects.binds]


class _Reach:
    """Which names a statement sets because it may call functions that say `global`."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._declared: dict[str, set[str]] = {}
        self._leads_to: dict[str, set[str]] = {}
        if not any(statement.effects.declares for statement in statements):  # nearly always
            return
        for each in statements:
            for name in each.effects.binds:
                self._declared.setdefault(name, set()).update(each.effects.declares)
                self._leads_to.setdefault(name, set()).update(each.uses.at_once, each.uses.later)

    def of(self, statement: Statement) -> set[str]:
        """The names that it may set, whichever definition of a function it calls."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = list(statement.uses.at_once) if self._declared else []
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                found |= self._declared.get(name, set())
                waiting += self._leads_to.get(name, ())
        return found


def _count(statements: Sequence[Statement], before: int) -> int:
    return bisect_left(statements, before, key=lambda statement: statement.at)


def _between(statements: Sequence[Statement], after: int, before: int) -> list[Statement]:
    return list(statements[_count(statements, after + 1) : _count(statements, before)])


def _is_part(statement: Statement, name: str) -> bool:
    """Whether it imports a part of a library: `import torch.nn` next to `import torch`."""
    return statement.kind is ast.Import and f"{name}." in statement.lines[0]


def _mention(cells: Iterable[Cell], slug: str) -> bool:
    """Whether any of them may import this exercise."""
    return any(f".{slug}" in cell.text for cell in cells)


@lru_cache(maxsize=1)
def _read(cells: tuple[Cell, ...], own: str) -> _Notebook:
    """All cells, which several exercises may be looked for in."""
    if sum(len(cell.text) for cell in cells) > MOST:
        raise UnusableError(f"the code of all cells together is longer than {MOST} characters")
    return _Notebook(cells, own)


Part = tuple[int, tuple[str, ...], type[ast.stmt], Effects]


@lru_cache(maxsize=512)
def _parsed(text: str) -> tuple[list[Part], bool]:
    """The statements of a cell, and whether there is one that is not Python."""
    try:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError:
            lines = without_magics("\n".join(lines))
            tree = ast.parse("\n".join(lines))
    except (SyntaxError, *TOO_DEEP):
        return [], True
    run, broken = _run(tree)
    return [_part(node, lines) for node in run if not _asks_for_its_name(node)], broken


def _run(tree: ast.Module) -> tuple[list[ast.stmt], bool]:
    """What a file can run of a cell, up to where Jupyter stops, too: at `return`."""
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
    """Whether it is for programs: `if __name__ == "__main__":`, which an import leaves out."""
    asked = ast.walk(node.test) if isinstance(node, ast.If) else ()
    return any(isinstance(each, ast.Name) and each.id == "__name__" for each in asked)


def _part(node: ast.stmt, lines: Sequence[str]) -> Part:
    """Its own lines; of a line that holds several statements, its own part."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(expression.lineno for expression in decorators)])
    found = list(lines[first - 1 : node.end_lineno])
    found[-1] = found[-1].encode()[: node.end_col_offset].decode()
    if first == node.lineno:
        found[0] = found[0].encode()[node.col_offset :].decode()
    if isinstance(node, ast.ImportFrom):
        found[0] = EARLIER.sub("from .", found[0])
    return first, tuple(found), type(node), effects(node)


# A name, the position at which it is looked up, and one at which its value may be called.
Lookup = tuple[str, int, int]


class _Search:
    """Finds the statements that names need."""

    def __init__(self, notebook: _Notebook, exercise: Exercise) -> None:
        self._notebook = notebook
        self._exercise = exercise
        self._kept: dict[int, Statement] = {}
        self._size = 0
        self._steps = 0
        self._asked: dict[Lookup, None] = {}

    @property
    def kept(self) -> list[Statement]:
        """What is needed, in order; what changes how Python reads the rest comes first."""
        kept = self._kept | {deletion.at: deletion for deletion in self._deletions()}
        statements = [kept[at] for at in sorted(kept)]
        return [*self._notebook.future.values(), *statements] if statements else []

    def _deletions(self) -> Iterator[Statement]:
        """What was needed once, but is gone when all cells were run."""
        for last in filter(None, map(self._notebook.deletion, self.looked_up)):
            before = [statement for at, statement in self._kept.items() if at < last.at]
            bound = {
                name
                for statement in before
                if statement.effects.surely
                for name in statement.effects.binds
            }
            if last.effects.deletes <= bound:
                yield last

    @property
    def looked_up(self) -> list[str]:
        """The names that somebody needs when all cells are run."""
        return [name for name, before, _ in self._asked if before == AT_THE_END]

    def need(self, name: str, before: int) -> None:
        """Keep what a name stands for at this position, and all that this needs in turn."""
        waiting = [(name, before, before)]
        while waiting:
            asked = waiting.pop()
            if asked not in self._asked:
                self._asked[asked] = None
                statements = self._notebook.meant(*asked) or self._notebook.stars(*asked[:2])
                waiting += [
                    need for statement in statements for need in self._keep(statement, *asked)
                ]
                self._count_steps(1 + len(statements))

    def _count_steps(self, more: int) -> None:
        self._steps += more
        if self._steps > MOST_STEPS:
            raise UnusableError(
                f"{self._exercise.filename} cannot be put together from the cells: "
                "too many names in them depend on one another"
            )

    def _keep(self, statement: Statement, name: str, _: int, called: int) -> Iterator[Lookup]:
        """The names that a statement needs, each with the positions that matter for it.

        Functions in it may be called where its name was looked up, and at the end. So may those
        that it uses: `mine = yours` calls nothing itself.
        """
        if statement.at not in self._kept:
            self._kept[statement.at] = statement
            self._size += sum(len(line.encode()) + 1 for line in statement.lines)
            _refuse_large(self._size, self._exercise)
        # What it changes, like x in `x.append(1)`, is being looked up already.
        own = {name} & statement.effects.changes - statement.effects.binds
        at_once, later = statement.uses.at_once - own, statement.uses.later
        for when in dict.fromkeys((called, AT_THE_END)):
            yield from ((text, when, when) for text in later)
            yield from ((text, statement.at, when) for text in at_once)
        yield from ((text, statement.at, statement.at) for text in at_once)
        quoted = (text for text in statement.uses.quoted if self._notebook.is_type(text))
        yield from ((text, AT_THE_END, AT_THE_END) for text in quoted)


def _written(statements: Sequence[Statement]) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text of all of them, and where each line came from."""
    lines: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for statement in statements:
        for offset, line in enumerate(statement.lines):
            lines.append(line)
            places[len(lines)] = statement.cell.number, statement.first + offset
        lines += BLANK if statement.kind in (ast.FunctionDef, ast.ClassDef) else []
    return "\n".join(lines) + "\n", places
