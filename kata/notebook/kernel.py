"""The notebook around this process, and the learner's answers in its cells."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from kata.course.cells import Assembly, Cell, assembled, completed
from kata.course.curriculum import Exercise, exercises, misspelled
from kata.course.source import UnusableError, contract, not_started, parse
from kata.course.target import Target
from kata.errors import UserError
from kata.learner.folder import folder_of_notebook, texts
from kata.learner.progress import learner
from kata.learner.status import Work
from kata.terminal.board import Origin

TEXT, PAGE = "text/plain", "text/html"
# In place of the name of a file.
THIS_NOTEBOOK = "this notebook"
DEFINED = re.compile(r"^[ \t]*(?:async +def|def|class) +(\w+)", re.MULTILINE)
DEFINITIONS = re.compile(r"\b([A-Za-z_]\w*) *(?::[^=\n]+)?=[^=]")


class History:
    """The latest texts of all cells, in the order in which they were run.

    A front end that gives cells ids lets an edited cell replace its own old text.
    """

    def __init__(self, earlier: Iterable[tuple[int, str]] = ()) -> None:
        self._cells = {f"[{number}]": Cell(number, text) for number, text in earlier}

    def note(self, number: int, text: str, cell_id: str | None) -> None:
        """Add a cell that begins to run; forget what it held before."""
        key = cell_id or f"[{number}]"
        self._cells.pop(key, None)
        self._cells.pop(f"[{number}]", None)
        self._cells[key] = Cell(number, text)

    def cells(self) -> list[Cell]:
        """Return all cells that were run."""
        return list(self._cells.values())


def shell() -> Any:
    """Return IPython's shell; None where this is not IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    return get_ipython()


@cache
def _history(running: Any) -> History:
    """Return the history of this shell, which notes every cell from now on."""
    texts = running.history_manager.input_hist_raw
    history = History((number, text) for number, text in enumerate(texts) if text)

    def note(info: Any) -> None:
        if info.store_history and not info.silent:
            # The list does not hold this cell yet.
            number = len(running.history_manager.input_hist_raw)
            history.note(number, info.raw_cell, getattr(info, "cell_id", None))

    running.events.register("pre_run_cell", note)
    return history


def listen(**cell_magics: Callable[[str, str], object]) -> None:
    """Begin to follow the cells, as soon as anything of the kata is imported."""
    if running := shell():
        _history(running)
        for name, call in cell_magics.items():
            running.register_magic_function(call, "cell", name)


def cells() -> list[Cell]:
    """Return the cells of this notebook; raise UserError where there is none."""
    if running := shell():
        return _history(running).cells()
    if (marimo_cells := _cells_of_marimo()) is not None:
        return marimo_cells
    raise UserError(
        "`check` reads the cells of a notebook, and this is none; `pytest` judges files"
    )


def _cells_of_marimo() -> list[Cell] | None:
    """Return the cells in the order in which marimo runs them; None where this is not marimo."""
    if "marimo" not in sys.modules:
        return None
    from marimo._runtime.context import ContextNotInitializedError, get_context
    from marimo._runtime.dataflow import topological_sort

    try:
        graph = get_context().graph
    except ContextNotInitializedError:
        return None
    numbers = {cell_id: number for number, cell_id in enumerate(graph.cells, start=1)}
    order = topological_sort(graph, list(graph.cells))
    return [Cell(numbers[cell_id], graph.cells[cell_id].code) for cell_id in order]


def place(number: int, line: int) -> str:
    """Name a line as the author of the notebook finds it: by its cell, and the line in that."""
    return f"cell [{number}], line {line}"


def shows_at_once() -> bool:
    """Return whether the front end can replace output while a cell runs: a terminal cannot."""
    return hasattr(shell(), "kernel")


def run_count() -> int | None:
    """Return the number of the cell that runs; None outside IPython."""
    running = shell()
    return running.execution_count if running else None


def show(bundle: dict[str, str], key: str, *, again: bool = False) -> None:
    """Add to the output of this cell, or replace what it has under this key."""
    front_end = import_module("IPython.display")
    put = front_end.update_display if again else front_end.display
    put(bundle, raw=True, display_id=key)


def offer(text: str) -> bool:
    """Put a new cell with this text below the one that runs; return whether that is possible."""
    running = shell()
    if running is None:
        return False
    running.set_next_input(text)
    return True


class WorkInCells(Work):
    """The answers that cells define, beside the files of a folder.

    Later exercises use earlier ones that have passed, from these cells or from that folder.
    """

    def __init__(self, cells: Sequence[Cell], folder: Path | None = None) -> None:
        super().__init__(folder_of_notebook() if folder is None else folder)
        self.cells = cells
        self._assemblies: dict[str, Assembly] = {}

    def assembly(self, exercise: Exercise) -> Assembly:
        """Return the cells as the text of this exercise."""
        if exercise.slug not in self._assemblies:
            self._assemblies[exercise.slug] = assembled(self.cells, exercise)
        return self._assemblies[exercise.slug]

    def text(self, exercise: Exercise) -> str:
        """Return the text of a file, with a stub for every name that no cell defines."""
        return completed(self.assembly(exercise), exercise).text

    def target(self, exercise: Exercise) -> Target:
        """Return the answer in the cells, with the earlier ones that it may need."""
        earlier = [exercises()[slug] for slug in exercise.needs]
        own = {
            prerequisite.slug: self.text(prerequisite)
            for prerequisite in earlier
            if self.defines(prerequisite)
        }
        own[exercise.slug] = self.text(exercise)
        return learner(self.folder, self.progress, {**texts(self.folder), **own})

    def target_of_all(self) -> Target:
        """Return all answers that are begun in the cells, and all beside them."""
        own = {exercise.slug: self.text(exercise) for exercise in self.begun()}
        return learner(self.folder, self.progress, {**texts(self.folder), **own})

    def all_texts(self) -> dict[str, str]:
        """Return the texts of all answers, in the cells and beside them, by slug."""
        target, by_slug = self.target_of_all(), {}
        for slug in exercises():
            with suppress(UnusableError):
                by_slug[slug] = target.source(slug).text
        return by_slug

    def unfound(self, exercise: Exercise, name: str = "") -> Iterator[str]:
        """Say why no cell defines a name: the cell is not Python, or spells it in another way."""
        for missing in self.assembly(exercise).missing:
            other_names = sorted(self._names - set(contract(exercise).names))
            if name and missing != name:
                continue
            if cell := self._broken(exercise, missing):
                yield (
                    f"cell [{cell}] defines `{missing}`, but is not Python as it stands: "
                    "mend it, and run it again"
                )
            elif close := misspelled(missing, other_names):
                yield f"no cell defines `{missing}`{close}"

    def _broken(self, exercise: Exercise, name: str) -> int:
        """Return the last cell that would define a name if it were Python; 0 if there is none."""
        unread = self.assembly(exercise).unread
        cells = [cell for cell in self.cells if cell.number in unread]
        numbers = [cell.number for cell in cells if name in DEFINED.findall(cell.text)]
        return numbers[-1] if numbers else 0

    def here(self, slugs: Sequence[str]) -> dict[str, Origin]:
        """Return the origins of exercises that are in this notebook, whatever lies beside it."""
        return {slug: Origin(THIS_NOTEBOOK, in_cells=True) for slug in slugs}

    def defines(self, exercise: Exercise) -> int:
        """Count the names of an exercise that the cells define, by a glance at their text."""
        return len(self._own(exercise))

    def begun(self) -> list[Exercise]:
        """Return the exercises of which the cells define more than stubs; no name is of two."""
        candidates = [
            exercise
            for exercise in exercises().values()
            if self.defines(exercise) and self._written(exercise)
        ]
        return [exercise for exercise in candidates if not self._is_another(exercise, candidates)]

    def _written(self, exercise: Exercise) -> bool:
        source = parse(self.folder / exercise.filename, self.text(exercise))
        return not not_started(source, exercise)

    def _is_another(self, exercise: Exercise, candidates: Sequence[Exercise]) -> bool:
        """Return whether its names belong to an exercise of which the cells define more."""
        share = self._share(exercise)
        return any(
            self._own(exercise) <= self._own(other) and share < self._share(other)
            for other in candidates
        )

    def _own(self, exercise: Exercise) -> set[str]:
        return self._names.intersection(contract(exercise).names)

    def _share(self, exercise: Exercise) -> tuple[int, float]:
        """Return how many of its names the cells define, and which share of all its names."""
        count = len(self._own(exercise))
        return count, count / len(contract(exercise).names)

    @cached_property
    def _names(self) -> set[str]:
        """The names that any cell seems to define."""
        text = "\n".join(cell.text for cell in self.cells)
        return {*DEFINED.findall(text), *DEFINITIONS.findall(text)}
