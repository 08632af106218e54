"""The cells of a notebook as the text of an exercise file: the same for a kernel and a grader.

The last definition of a name in the contract counts, with exactly the statements that it needs:
imports, constants, helpers. Experiments, prints, plots, magics and cells that are not Python are
left out. Nothing is run.
"""

import ast
import builtins
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from kata.course.contract import unwritten
from kata.course.curriculum import Exercise
from kata.course.names_in_code import Effects, Uses, uses
from kata.course.source import LARGEST, UnusableError, contract, too_large
from kata.course.statements import parts_of

MOST = 1 << 20  # characters of code in all cells, a hundred times what a long notebook has
MOST_STEPS = 200_000  # of a search; a long notebook takes hundreds
AT_THE_END = 1 << 62  # the position at which functions are called
BLANK = ["", ""]  # after a definition
STAR = "*"
IMPORTS = (ast.Import, ast.ImportFrom)
# The names of Python's own that `from numpy import *` and `from torch import *` replace.
OF_STARS = {"abs", "all", "any", "bool", "compile", "complex", "divmod", "float", "int", "max",
            "min", "pow", "range", "round", "sum"}  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A code cell, with the number by which its author knows it.

    Attributes:
        ran: its place in the order in which cells were run; 0 if nobody knows it.
    """

    number: int
    text: str
    ran: int = 0


@dataclass(frozen=True)
class Assembly:
    """The text of an exercise, and the cells that it came from.

    Attributes:
        text: as it would stand in a file.
        places: the number of the cell and the line in it, by the line of the text.
        missing: names of the contract that no cell defines.
        unread: the numbers of the cells that are not Python, or have a part that is not.
        large: the numbers of the cells that were not read because they are longer than any file.
        hidden: the numbers of the cells that define a name, by all names with several definitions
            that the exercise needs; the last cell counts.
        ran_last: the cell that was run last, by those of these names for which it does not count.
    """

    text: str
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()
    large: tuple[int, ...] = ()
    hidden: dict[str, tuple[int, ...]] = field(default_factory=dict)
    ran_last: dict[str, int] = field(default_factory=dict)


def assembled(cells: Iterable[Cell], exercise: Exercise, names: Sequence[str] = ()) -> Assembly:
    """Assemble what these cells, run in this order, define of an exercise, or of these names.

    Raises UnusableError if that is too large for a file.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they come when a cell is run
        cells = tuple(cells)
        is_imported = any(f".{exercise.slug}" in cell.text for cell in cells)
        notebook = _read(cells, exercise.slug if is_imported else "")
        search = _Search(notebook, exercise)
        names = names or contract(exercise).names
        for name in names:
            search.need(name, AT_THE_END)
    text, places = _written(search.statements)
    _refuse_large(len(text.encode()), exercise)
    missing = tuple(name for name in names if not notebook.meant(name, AT_THE_END))
    hidden, last = _hidden({name: notebook.versions(name) for name in search.final_names})
    return Assembly(text, places, missing, notebook.unread, notebook.large, hidden, last)


def _hidden(versions: dict[str, list[Cell]]) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
    """Return the cells of names that several define, and which of them ran last of all."""
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
    """Add the stubs of missing names: it is no error that they are not written yet."""
    return replace(assembly, text=assembly.text + unwritten(exercise, assembly.missing))


def notes(assembly: Assembly, cell: Callable[[int], str] = "[{}]".format) -> Iterator[str]:
    """Yield sentences about names with several definitions; `cell` spells the number of a cell."""
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
    """A part of a cell, as a statement of the notebook: `at` is its position in all cells."""

    at: int
    cell: Cell
    first: int
    lines: tuple[str, ...]
    kind: type[ast.stmt]
    effects: Effects

    @cached_property
    def uses(self) -> Uses:
        """The names that it needs."""
        return uses("\n".join(self.lines))


class _Notebook:
    """The definitions in all cells: the statements that bind or change a name.

    An import from the exercise `own` is no definition of it: another exercise in the same notebook
    uses it.
    """

    def __init__(self, cells: Sequence[Cell], own: str) -> None:
        self.large = tuple(cell.number for cell in cells if len(cell.text) > LARGEST)
        read = [(cell, *parts_of(cell.text)) for cell in cells if len(cell.text) <= LARGEST]
        self.unread = tuple(cell.number for cell, _, broken in read if broken)
        pairs = ((cell, part) for cell, parts, _ in read for part in parts
                 if not (own and part.lines[0].startswith(f"from .{own} ")))  # fmt: skip
        statements = [Statement(at, cell, *part) for at, (cell, part) in enumerate(pairs)]
        self.future: dict[tuple[str, ...], Statement] = {}
        self._owners: dict[str, list[Statement]] = {}
        self._changes: dict[str, list[Statement]] = {}
        self._set: dict[str, list[Statement]] = {}  # by a function that says `global`
        reach = _Reach(statements)
        for statement in statements:
            self._add(statement, reach.of(statement))

    def _add(self, statement: Statement, set_by_calls: set[str]) -> None:
        effects = statement.effects
        if statement.lines[0].split()[:2] == ["from", "__future__"]:
            self.future[statement.lines] = statement  # wherever it stands
            return
        for table, names in (
            (self._owners, effects.binds | effects.deletes),
            (self._changes, effects.changes | set_by_calls),
            (self._set, set_by_calls),
        ):
            for name in names:
                table.setdefault(name, []).append(statement)

    def meant(self, name: str, before: int, called: int = 0) -> list[Statement]:
        """Return the statements that give a name its value at this position; none if it has none.

        A value may still be changed until it is called: a base class is completed later.
        """
        statements = self._binding(name, before)
        if not statements:
            return _between(self._set.get(name, []), -1, before)
        start, end = statements[0].at, max(before, min(called, self._next(name, before)))
        if statements[0].kind in IMPORTS:  # a library is not changed by what is done with it
            earlier = _between(self._owners[name], -1, start)
            modules = [statement for statement in earlier if _is_part(statement, name)]
            again = _between(self._set.get(name, []), start, before)
            return [*modules, *statements, *again]
        return [*statements, *_between(self._changes.get(name, []), start, end)]

    def _next(self, name: str, before: int) -> int:
        """Return the position from which on the name stands for something else."""
        owners = self._owners[name]
        at = _count(owners, before)
        return owners[at].at if at < len(owners) else AT_THE_END

    def _binding(self, name: str, before: int) -> list[Statement]:
        """Return the last statement that surely binds it, and those after it that perhaps do."""
        owners = self._owners.get(name, [])
        last = _count(owners, before)
        first = last
        while first > 0:
            first -= 1
            if owners[first].effects.surely:
                return owners[first + (name in owners[first].effects.deletes) : last]
        return owners[:last]

    def deletion(self, name: str) -> Statement | None:
        """Return the statement that deletes it for good, at the top of a cell."""
        last = self._owners.get(name, [None])[-1]
        return last if last and last.effects.surely and name in last.effects.deletes else None

    def stars(self, name: str, before: int) -> list[Statement]:
        """Return imports of `*`, which may bring any name but most of Python's own."""
        if hasattr(builtins, name) and name not in OF_STARS:
            return []
        return _between(self._owners.get(STAR, []), -1, before)

    def is_type(self, name: str) -> bool:
        """Tell if it is imported or a class: an annotation may name it, and it is no experiment."""
        statements = self._binding(name, AT_THE_END)
        return bool(statements) and statements[-1].kind in (*IMPORTS, ast.ClassDef)

    def versions(self, name: str) -> list[Cell]:
        """Return the cells with its definitions, if these differ; the last one counts.

        None if nobody knows which one counts, or if it is only imported again.
        """
        owners = self._owners.get(name, [])
        alike = len({owner.lines for owner in owners}) < 2
        imported = all(owner.kind in IMPORTS for owner in owners)
        if alike or imported or self.deletion(name) or not owners[-1].effects.surely:
            return []
        return [owner.cell for owner in owners if name in owner.effects.binds]


class _Reach:
    """The names that a statement may set by a call of functions that say `global`."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._declared: dict[str, set[str]] = {}
        self._leads_to: dict[str, set[str]] = {}
        if not any(statement.effects.declares for statement in statements):  # nearly always
            return
        for statement in statements:
            uses = statement.uses
            for name in statement.effects.binds:
                self._declared.setdefault(name, set()).update(statement.effects.declares)
                self._leads_to.setdefault(name, set()).update(uses.at_once, uses.later)

    def of(self, statement: Statement) -> set[str]:
        """Return the names that it may set, whichever definition of a function it calls."""
        names: set[str] = set()
        seen: set[str] = set()
        waiting = list(statement.uses.at_once) if self._declared else []
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                names |= self._declared.get(name, set())
                waiting += self._leads_to.get(name, ())
        return names


def _count(statements: Sequence[Statement], before: int) -> int:
    return bisect_left(statements, before, key=lambda statement: statement.at)


def _between(statements: Sequence[Statement], after: int, before: int) -> list[Statement]:
    return list(statements[_count(statements, after + 1) : _count(statements, before)])


def _is_part(statement: Statement, name: str) -> bool:
    """Recognise the import of a part of a library: `import torch.nn` next to `import torch`."""
    return statement.kind is ast.Import and f"{name}." in statement.lines[0]


@lru_cache(maxsize=1)
def _read(cells: tuple[Cell, ...], own: str) -> _Notebook:
    """Read all cells; the next exercise may be in the same ones."""
    if sum(len(cell.text) for cell in cells) > MOST:
        raise UnusableError(f"the code of all cells together is longer than {MOST} characters")
    return _Notebook(cells, own)


# A name, the position at which it is looked up, and one at which its value may be called.
Lookup = tuple[str, int, int]


class _Search:
    """A search for the statements that names need."""

    def __init__(self, notebook: _Notebook, exercise: Exercise) -> None:
        self._notebook = notebook
        self._exercise = exercise
        self._needed: dict[int, Statement] = {}
        self._size = 0
        self._steps = 0
        self._lookups: dict[Lookup, None] = {}

    @property
    def statements(self) -> list[Statement]:
        """All that is needed, in order; imports from `__future__` come first."""
        needed = self._needed | {deletion.at: deletion for deletion in self._deletions()}
        statements = [needed[at] for at in sorted(needed)]
        return [*self._notebook.future.values(), *statements] if statements else []

    def _deletions(self) -> Iterator[Statement]:
        """Yield the deletions of names that are needed at first, and gone at the end."""
        for last in filter(None, map(self._notebook.deletion, self.final_names)):
            before = (statement.effects for at, statement in self._needed.items() if at < last.at)
            bound = {name for effects in before if effects.surely for name in effects.binds}
            if last.effects.deletes <= bound:
                yield last

    @property
    def final_names(self) -> list[str]:
        """The names that are needed when all cells were run."""
        return [name for name, before, _ in self._lookups if before == AT_THE_END]

    def need(self, name: str, before: int) -> None:
        """Keep the statements for a name at this position, and all that these need in turn."""
        waiting = [(name, before, before)]
        while waiting:
            lookup = waiting.pop()
            if lookup not in self._lookups:
                self._lookups[lookup] = None
                statements = self._notebook.meant(*lookup) or self._notebook.stars(*lookup[:2])
                for statement in statements:
                    waiting += self._keep(statement, *lookup)
                self._count_steps(1 + len(statements))

    def _count_steps(self, more: int) -> None:
        self._steps += more
        if self._steps > MOST_STEPS:
            raise UnusableError(
                f"{self._exercise.filename} cannot be put together from the cells: "
                "too many names in them depend on one another"
            )

    def _keep(self, statement: Statement, name: str, _: int, called: int) -> Iterator[Lookup]:
        """Keep a statement, and yield the names that it needs, with the positions that matter.

        Functions in it may be called where its name was looked up, and at the end. So may those
        that it uses: `mine = yours` calls nothing itself.
        """
        if statement.at not in self._needed:
            self._needed[statement.at] = statement
            self._size += sum(len(line.encode()) + 1 for line in statement.lines)
            _refuse_large(self._size, self._exercise)
        # What it changes, like x in `x.append(1)`, is being looked up already.
        own = {name} & statement.effects.changes - statement.effects.binds
        at_once, later = statement.uses.at_once - own, statement.uses.later
        for when in dict.fromkeys((called, AT_THE_END)):
            yield from ((needed, when, when) for needed in later)
            yield from ((needed, statement.at, when) for needed in at_once)
        yield from ((needed, statement.at, statement.at) for needed in at_once)
        types = filter(self._notebook.is_type, statement.uses.quoted)
        yield from ((needed, AT_THE_END, AT_THE_END) for needed in types)


def _written(statements: Sequence[Statement]) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the text of all statements, and the places that its lines came from."""
    lines: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for statement in statements:
        for offset, line in enumerate(statement.lines):
            lines.append(line)
            places[len(lines)] = statement.cell.number, statement.first + offset
        lines += BLANK if statement.kind in (ast.FunctionDef, ast.ClassDef) else []
    return "\n".join(lines) + "\n", places
