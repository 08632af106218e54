"""The folder of a learner's exercises, and the notebooks that lie beside its files."""

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
    """Return the folder of the notebook if it has exercises; else the nearest, or a new one."""
    here = Path.cwd()
    if _has_exercises(here):
        return here
    # `resolve` would follow links.
    return Path(os.path.abspath(nearest() or "exercises"))  # noqa: PTH100


def nearest() -> Path | None:
    """Find the folder `exercises` in this folder or in one above, as a short path.

    Raise UserError if it is a link or somebody else's: its files would be run.
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


def origin(folder: Path, exercise: Exercise) -> Origin:
    """Return the file or notebook of an exercise that was saved last."""
    paths = (folder / exercise.filename, folder / f"{exercise.slug}.ipynb")
    existing = sorted((path for path in paths if path.exists()), key=_time_of_save)
    if not existing:
        return Origin(exercise.filename)
    older = existing[0].name if len(existing) > 1 else ""
    return Origin(existing[-1].name, older, in_cells=existing[-1].suffix == ".ipynb")


def _time_of_save(path: Path) -> float:
    # The file may have been deleted meanwhile.
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def texts(folder: Path) -> Mapping[str, str]:
    """Return the texts that cells define, for every exercise that is in a notebook."""
    return {
        exercise.slug: _text(folder / f"{exercise.slug}.ipynb", exercise)
        for exercise in exercises().values()
        if origin(folder, exercise).in_cells
    }


def _text(path: Path, exercise: Exercise) -> str:
    """Return the text in a notebook; empty if it cannot be read."""
    # Few learners have notebooks, so that a start does not pay for them.
    from kata.course.cells import assembled, completed
    from kata.course.notebook_file import LARGEST_NOTEBOOK, NotebookError, notebook

    with suppress(OSError, NotebookError, UnusableError):
        cells = notebook(read_named(path, LARGEST_NOTEBOOK)).cells
        return completed(assembled(cells, exercise), exercise).text
    return ""
