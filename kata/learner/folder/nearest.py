"""Where a learner's exercises are, seen from the folder that somebody works in."""

from pathlib import Path

from kata.course.curriculum import exercises

SUFFIXES = (".py", ".ipynb")


def folder_of_notebook() -> Path:
    """That of the notebook, if exercises lie in it; else the nearest one; else one to be made."""
    here = Path.cwd()
    if _has_exercises(here):
        return here
    near = (home / "exercises" for home in (here, *here.parents))
    return next(filter(_has_exercises, near), here / "exercises")


def _has_exercises(folder: Path) -> bool:
    names = (f"{slug}{suffix}" for slug in exercises() for suffix in SUFFIXES)
    return any((folder / each).exists() for each in names)
