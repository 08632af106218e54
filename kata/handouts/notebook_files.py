"""Notebooks as files, for Jupyter and for marimo; written never over anybody's work."""

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
from kata.handouts.notebook_cells import Kind, Piece, cells_of
from kata.learner.layout import LayoutRecord, Outcome

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LONGEST_ID = 64  # characters
HEAD = "import marimo\n\napp = marimo.App()\n"
OWN = Piece("marimo", Kind.GIVEN, "import marimo as mo")
LINK = re.compile(r"\[(\w+)\.ipynb\]\(\w+\.ipynb\)")
TAIL = 'if __name__ == "__main__":\n    app.run()\n'


def notebooks(chosen: Iterable[Exercise], *, for_marimo: bool = False) -> dict[str, bytes]:
    """The contents of notebooks by their names; no name of a marimo file is that of an exercise."""
    if for_marimo:
        return {f"marimo_{exercise.slug}.py": marimo(exercise).encode() for exercise in chosen}
    return {f"{exercise.slug}.ipynb": jupyter(exercise).encode() for exercise in chosen}


def write(folder: Path, contents: dict[str, bytes]) -> Outcome:
    """Make what is missing, renew what nobody has changed, leave the rest."""
    done, record = Outcome(), LayoutRecord(folder)
    for name, content in contents.items():
        getattr(done, _written(folder / name, content, record)).append(name)
    record.note({name: contents[name] for name in (*done.made, *done.there, *done.renewed)})
    record.save()
    return done


def _written(path: Path, content: bytes, record: LayoutRecord) -> str:
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
        "cells": [_cell(exercise, piece) for piece in cells_of(exercise)],
        "metadata": {
            "kata": {"exercise": exercise.slug},
            "kernelspec": KERNEL,
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(exercise: Exercise, piece: Piece) -> dict[str, Any]:
    about = {"name": piece.about} if piece.about else {}
    cell: dict[str, Any] = {
        "id": f"{exercise.short}-{piece.name}"[:LONGEST_ID],
        "metadata": {"kata": {"kind": piece.kind.value, **about}},
        "source": piece.text.splitlines(keepends=True),
    }
    if piece.kind is Kind.TEXT:
        return {"cell_type": "markdown", **cell}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **cell}


def marimo(exercise: Exercise) -> str:
    """The notebook of an exercise as the code of a Python file."""
    cells = [OWN, *map(_for_marimo, cells_of(exercise))]
    names = {name for cell in cells for name in _defined(cell)}
    return "\n\n".join([HEAD, *(_marimo_cell(cell, names) + "\n" for cell in cells), TAIL])


def _for_marimo(piece: Piece) -> Piece:
    if piece.kind is Kind.TEXT:
        text = LINK.sub(r"`marimo_\1.py`", piece.text)
        code = f'mo.md(r"""\n{text}\n""")'
    elif piece.kind is Kind.EXAMPLE:
        code = f"def _example():\n{textwrap.indent(piece.text, '    ')}\n\n\n_example()"
    else:
        code = piece.text
    return Piece(piece.name, piece.kind, code, piece.about)


def _defined(piece: Piece) -> list[str]:
    """The names that other cells see: those without an underscore in front."""
    statements = ast.parse(piece.text).body
    names = dict.fromkeys(
        name for statement in statements for name in sorted(effects(statement).binds)
    )
    return [name for name in names if not name.startswith("_")]


def _used(piece: Piece) -> set[str]:
    names = uses(piece.text)
    return names.at_once | names.later


def _marimo_cell(piece: Piece, names: Iterable[str]) -> str:
    """A cell as a function: names of other cells are its arguments, its own ones its result."""
    defined = _defined(piece)
    taken = sorted(_used(piece) & set(names) - set(defined))
    hidden = "(hide_code=True)" if piece.kind is Kind.TEXT else ""
    listed = ", ".join(defined) + ("," if len(defined) == 1 else "")
    result = f"    return ({listed})" if defined else "    return"
    body = textwrap.indent(piece.text, "    ", lambda line: bool(line.strip()))
    return f"@app.cell{hidden}\ndef _({', '.join(taken)}):\n{body}\n{result}"
