"""Where a learner's exercises are, seen from the folder that somebody works in."""

import os
from pathlib import Path

from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.files import distrusted

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
