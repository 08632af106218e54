"""Notebooks that lie beside a learner's files: the newer of the two is their work."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError
from kata.files import read_named
from kata.terminal.board import Origin


def taken(folder: Path, exercise: Exercise) -> Origin:
    """The file or notebook of an exercise that was saved last."""
    paths = (folder / exercise.filename, folder / f"{exercise.slug}.ipynb")
    there = sorted((path for path in paths if path.exists()), key=_saved)
    if not there:
        return Origin(exercise.filename)
    older = there[0].name if len(there) > 1 else ""
    return Origin(there[-1].name, older, in_cells=there[-1].suffix == ".ipynb")


def _saved(path: Path) -> float:
    """The time of the last save; 0 for what is gone meanwhile."""
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def texts(folder: Path) -> Mapping[str, str]:
    """The texts that cells define, for every exercise that is in a notebook."""
    in_notebooks = (
        exercise for exercise in exercises().values() if taken(folder, exercise).in_cells
    )
    return {
        exercise.slug: _text(folder / f"{exercise.slug}.ipynb", exercise)
        for exercise in in_notebooks
    }


def _text(path: Path, exercise: Exercise) -> str:
    """The text in a notebook; empty if it cannot be read."""
    from kata.course.notebooks.cells import assembled, completed  # few have notebooks: not at start
    from kata.course.notebooks.notebook_file import LARGEST_NOTEBOOK, NotebookError, notebook

    with suppress(OSError, NotebookError, UnusableError):
        cells = notebook(read_named(path, LARGEST_NOTEBOOK)).cells
        return completed(assembled(cells, exercise), exercise).text
    return ""
