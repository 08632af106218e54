"""Notebooks that lie beside a learner's files: the newer of the two is their work."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.course.notebooks.cells import Cell, assembled, completed
from kata.terminal.board import Origin

LARGEST_NOTEBOOK = 1 << 23  # bytes, with all of its outputs
UNREADABLE = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)


def taken(folder: Path, exercise: Exercise) -> Origin:
    """The one that was saved last."""
    paths = (folder / exercise.filename, folder / f"{exercise.slug}.ipynb")
    there = sorted((each for each in paths if each.exists()), key=_saved)
    if not there:
        return Origin(exercise.filename)
    older = there[0].name if len(there) > 1 else ""
    return Origin(there[-1].name, older, in_cells=there[-1].suffix == ".ipynb")


def _saved(path: Path) -> float:
    """When; 0 for what is gone meanwhile."""
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def texts(folder: Path) -> Mapping[str, str]:
    """Of each exercise whose work is in a notebook, what its cells define."""
    found = (each for each in exercises().values() if taken(folder, each).in_cells)
    return {each.slug: _text(folder / f"{each.slug}.ipynb", each) for each in found}


def _text(path: Path, exercise: Exercise) -> str:
    """Empty if it cannot be read: then nothing is known of it."""
    with suppress(*UNREADABLE):
        if path.stat().st_size <= LARGEST_NOTEBOOK:
            cells = _cells(json.loads(path.read_bytes()))
            return completed(assembled(cells, exercise), exercise).text
    return ""


def _cells(notebook: Mapping[str, Any]) -> list[Cell]:
    """Its code, run from top to bottom."""
    code = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    return [Cell(number, "".join(each["source"])) for number, each in enumerate(code, start=1)]
