"""Notebooks that lie beside a learner's files: the newer of the two is their work."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kata.course.cells import Assembly, Cell, assembled
from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.terminal.board import Origin

LARGEST_NOTEBOOK = 1 << 23  # bytes, with all of its outputs
EARLIER = re.compile(r"^from kata\.earlier\.", re.MULTILINE)
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
            return completed(assembled(_cells(json.loads(path.read_bytes())), exercise), exercise)
    return ""


def _cells(notebook: Mapping[str, Any]) -> list[Cell]:
    """Its code, run from top to bottom."""
    code = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    return [Cell(number, "".join(each["source"])) for number, each in enumerate(code, start=1)]


def completed(assembly: Assembly, exercise: Exercise) -> str:
    """With a stub for each name that no cell defines, which is then not written yet.

    What the notebooks import of earlier exercises is, in a file, beside it.
    """
    own = EARLIER.sub("from .", assembly.text)
    return own + "".join(_stub(exercise, name) for name in assembly.missing)


def _stub(exercise: Exercise, name: str) -> str:
    raises = f'raise NotImplementedError("{exercise.short} {name}: not written yet")'
    asked = (each.split(".") for each in contract(exercise).functions)
    methods = [each[1] for each in asked if each[0] == name and len(each) > 1]
    if not methods:
        return f"\n\ndef {name}(*_, **__):\n    {raises}\n"
    inside = (f"    def {each}(self, *_, **__):\n        {raises}\n" for each in methods)
    return f"\n\nclass {name}:\n{''.join(inside)}"
