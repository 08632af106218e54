"""The folder of a learner's exercises: where it is, and the notebooks that lie beside its files."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError
from kata.errors import UserError
from kata.files import distrusted, read_named
from kata.terminal.board import Origin

SUFFIXES = (".py", ".ipynb")


def folder_of_notebook() -> Path:
    """The folder of the notebook, if exercises lie in it; else the nearest; else one to be made."""
    here = Path.cwd()
    if _has_exercises(here):
        return here
    return Path(os.path.abspath(nearest() or "exercises"))  # noqa: PTH100  # through no link


def nearest() -> Path | None:
    """Find the folder `exercises` of this folder, or of one above, as short as it can be said.

    Raises UserError if it is a link or somebody else's: what lies there would be run.
    """
    here = Path.cwd()
    for folder in (home / "exercises" for home in (here, *here.parents)):
        if _has_exercises(folder):
            if reason := distrusted(folder):
                raise UserError(
                    f"{folder} is not used: {reason}; `--folder` names a folder that you trust, "
                    "and a notebook uses the one that it is started in"
                )
            return Path(os.path.relpath(folder))
    return None


def _has_exercises(folder: Path) -> bool:
    names = (f"{slug}{suffix}" for slug in exercises() for suffix in SUFFIXES)
    return any((folder / name).exists() for name in names)


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
    from kata.course.cells import assembled, completed  # few have notebooks: not at start
    from kata.course.notebook_file import LARGEST_NOTEBOOK, NotebookError, notebook

    with suppress(OSError, NotebookError, UnusableError):
        cells = notebook(read_named(path, LARGEST_NOTEBOOK)).cells
        return completed(assembled(cells, exercise), exercise).text
    return ""
