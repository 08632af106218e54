"""The site: the exercises, and the museum of wrong answers, as pages that open without a server."""

from collections.abc import Iterable
from pathlib import Path

from kata.course.curriculum import exercises
from kata.files import write_file
from kata.handouts.site.address import Address
from kata.handouts.site.pages import files
from kata.handouts.site.rooms import Room, room

NOWHERE = Address()


def build(out: Path, core: bool = False, address: Address = NOWHERE) -> list[Path]:
    """Write the site of all exercises, or of the core, to a folder; return the files written."""
    chosen = (exercise for exercise in exercises().values() if exercise.core or not core)
    return write(out, map(room, chosen), address)


def write(out: Path, rooms: Iterable[Room], address: Address = NOWHERE) -> list[Path]:
    """Write the site of these rooms. Nothing else in the folder is touched."""
    return [_written(out / name, content) for name, content in files(tuple(rooms), address)]


def _written(path: Path, content: str | bytes) -> Path:
    write_file(path, content)
    return path
