"""Writes notebooks into a folder, and never over anybody's work.

`.kata/laid-out.json` in the folder has the digest of each notebook as it was written, so that those
that nobody has changed can be renewed. Running a cell changes a notebook as soon as it is saved.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kata.course.curriculum import Exercise
from kata.files import read_named, write_file
from kata.handouts.notebooks.jupyter import jupyter
from kata.handouts.notebooks.marimo import marimo
from kata.learner.folder.layout_record import LayoutRecord
from kata.learner.folder.renewal import Outcome


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
