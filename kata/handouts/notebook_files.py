"""Notebooks as files, for Jupyter and for marimo; nobody's work is overwritten."""

import ast
import json
import re
import textwrap
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.names_in_code import effects, uses
from kata.files import read_named, write_file
from kata.handouts.notebook_cells import Cell, Kind, cells_of
from kata.learner.layout import LayoutRecord, Outcome

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LONGEST_ID = 64  # characters
HEAD = "import marimo\n\napp = marimo.App()\n"
MARIMO_IMPORT = Cell("marimo", Kind.GIVEN, "import marimo as mo")
LINK = re.compile(r"\[(\w+)\.ipynb\]\(\w+\.ipynb\)")
TAIL = 'if __name__ == "__main__":\n    app.run()\n'


def notebooks(chosen: Iterable[Exercise], *, for_marimo: bool = False) -> dict[str, bytes]:
    """The contents of notebooks by their names; no name of a marimo file is that of an exercise."""
    if for_marimo:
        return {f"marimo_{exercise.slug}.py": marimo(exercise).encode() for exercise in chosen}
    return {f"{exercise.slug}.ipynb": jupyter(exercise).encode() for exercise in chosen}


def write(folder: Path, contents: dict[str, bytes]) -> Outcome:
    """Write missing notebooks, renew those that nobody has changed, and leave the others."""
    outcome, record = Outcome(), LayoutRecord(folder)
    for name, content in contents.items():
        getattr(outcome, _write(folder / name, content, record)).append(name)
    current = *outcome.made, *outcome.there, *outcome.renewed
    record.note({name: contents[name] for name in current})
    record.save()
    return outcome


def _write(path: Path, content: bytes, record: LayoutRecord) -> str:
    """Write a notebook if that harms nobody; return the name of its list in the outcome."""
    if not path.exists():
        write_file(path, content)
        return "made"
    with suppress(OSError):  # a pipe, say, which is nobody's notebook
        if read_named(path) == content:
            return "there"
    if record.is_untouched(path.name):
        write_file(path, content)
        return "renewed"
    return "kept"


def jupyter(exercise: Exercise) -> str:
    """The notebook of an exercise as the text of its file."""
    notebook = {
        "cells": [_jupyter_cell(exercise, cell) for cell in cells_of(exercise)],
        "metadata": {
            "kata": {"exercise": exercise.slug},
            "kernelspec": KERNEL,
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _jupyter_cell(exercise: Exercise, cell: Cell) -> dict[str, Any]:
    about = {"name": cell.about} if cell.about else {}
    entry: dict[str, Any] = {
        "id": f"{exercise.short}-{cell.name}"[:LONGEST_ID],
        "metadata": {"kata": {"kind": cell.kind.value, **about}},
        "source": cell.text.splitlines(keepends=True),
    }
    if cell.kind is Kind.TEXT:
        return {"cell_type": "markdown", **entry}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **entry}


def marimo(exercise: Exercise) -> str:
    """The notebook of an exercise as the code of a Python file."""
    cells = [MARIMO_IMPORT, *map(_for_marimo, cells_of(exercise))]
    names = {name for cell in cells for name in _defined(cell)}
    return "\n\n".join([HEAD, *(_marimo_cell(cell, names) + "\n" for cell in cells), TAIL])


def _for_marimo(cell: Cell) -> Cell:
    if cell.kind is Kind.TEXT:
        text = LINK.sub(r"`marimo_\1.py`", cell.text)
        code = f'mo.md(r"""\n{text}\n""")'
    elif cell.kind is Kind.EXAMPLE:
        code = f"def _example():\n{textwrap.indent(cell.text, '    ')}\n\n\n_example()"
    else:
        code = cell.text
    return Cell(cell.name, cell.kind, code, cell.about)


def _defined(cell: Cell) -> list[str]:
    """The names that other cells see: those without an underscore in front."""
    statements = ast.parse(cell.text).body
    names = dict.fromkeys(
        name for statement in statements for name in sorted(effects(statement).binds)
    )
    return [name for name in names if not name.startswith("_")]


def _marimo_cell(cell: Cell, names: Iterable[str]) -> str:
    """A cell as a function: names of other cells are its arguments, its own ones its result."""
    defined, used = _defined(cell), uses(cell.text)
    arguments = sorted((used.at_once | used.later) & set(names) - set(defined))
    hidden = "(hide_code=True)" if cell.kind is Kind.TEXT else ""
    results = ", ".join(defined) + ("," if len(defined) == 1 else "")
    last = f"    return ({results})" if defined else "    return"
    body = textwrap.indent(cell.text, "    ", lambda line: bool(line.strip()))
    return f"@app.cell{hidden}\ndef _({', '.join(arguments)}):\n{body}\n{last}"
