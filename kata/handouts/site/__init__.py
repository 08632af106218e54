"""The site: the exercises, and the museum of wrong answers, as pages that open without a server."""

from collections.abc import Iterable
from pathlib import Path

from kata.course.curriculum import exercises
from kata.handouts.site.exhibits import Room, room
from kata.handouts.site.pages import files


def build(out: Path, core: bool = False) -> list[Path]:
    """Write the site of all exercises, or of the core, to a folder; return the files written."""
    shown = (each for each in exercises().values() if each.core or not core)
    return write(out, map(room, shown))


def write(out: Path, rooms: Iterable[Room]) -> list[Path]:
    """Write the site of these rooms. Nothing else in the folder is touched."""
    return [_written(out / name, text) for name, text in files(tuple(rooms))]


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
