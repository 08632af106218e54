"""The notebook around this process: which cells it has run, and how it shows something.

Jupyter, VS Code and Colab run cells in IPython; marimo knows its cells by itself.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

from kata.course.notebooks.cells import Cell
from kata.errors import UserError

TEXT, PAGE = "text/plain", "text/html"
THIS_NOTEBOOK = "this notebook"  # in place of the name of a file


class History:
    """The latest text of each cell, in the order in which they were run.

    A front end that gives cells ids lets an edited cell replace its own old text.
    """

    def __init__(self, earlier: Iterable[tuple[int, str]] = ()) -> None:
        self._cells = {f"[{number}]": Cell(number, text) for number, text in earlier}

    def note(self, number: int, text: str, cell_id: str | None) -> None:
        """Add a cell that begins to run; what it held before is forgotten."""
        key = cell_id or f"[{number}]"
        self._cells.pop(key, None)
        self._cells.pop(f"[{number}]", None)
        self._cells[key] = Cell(number, text)

    def cells(self) -> list[Cell]:
        """All cells that were run."""
        return list(self._cells.values())


def shell() -> Any:
    """IPython's shell; None where this is not IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    return get_ipython()


@cache
def _history(running: Any) -> History:
    """The history of this shell, which tells of every cell from now on."""
    texts = running.history_manager.input_hist_raw
    history = History((at, text) for at, text in enumerate(texts) if text)

    def note(info: Any) -> None:
        if info.store_history and not info.silent:
            number = len(running.history_manager.input_hist_raw)  # it is not in there yet
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
    """The cells of this notebook; raises UserError where there is none."""
    if running := shell():
        return _history(running).cells()
    if (marimo_cells := _cells_of_marimo()) is not None:
        return marimo_cells
    raise UserError(
        "`check` reads the cells of a notebook, and this is none; `pytest` judges files"
    )


def _cells_of_marimo() -> list[Cell] | None:
    """The cells in the order in which marimo runs them; None where this is not marimo."""
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
    """How this notebook's author would find a line: by the cell's number, and the line in it."""
    return f"cell [{number}], line {line}"


def shows_at_once() -> bool:
    """Whether something can be shown while a cell runs, and replaced later: not in a terminal."""
    return hasattr(shell(), "kernel")


def run_count() -> int | None:
    """The number of the cell that runs; None outside IPython."""
    running = shell()
    return running.execution_count if running else None


def show(bundle: dict[str, str], key: str, *, again: bool = False) -> None:
    """Show something in the output of this cell, or replace what was shown under this key."""
    front_end = import_module("IPython.display")
    put = front_end.update_display if again else front_end.display
    put(bundle, raw=True, display_id=key)


def offer(text: str) -> bool:
    """Put a new cell with this text below the one that runs, if the front end can."""
    running = shell()
    if running is None:
        return False
    running.set_next_input(text)
    return True
