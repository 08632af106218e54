"""Which exercises of a folder are saved, as it happens."""

import time
from collections.abc import Iterator
from pathlib import Path

from kata.curriculum import exercises

PAUSE = 0.05  # seconds between two looks at the folder
SETTLE = 30  # milliseconds in which an editor writes one file


def changes(folder: Path, *, poll: bool = False) -> Iterator[list[str]]:
    """The slugs of what was just saved, in course order; ends when the folder is gone."""
    try:
        from watchfiles import watch
    except ImportError:
        poll = True
    if poll:
        yield from _polled(folder)
        return
    for batch in watch(
        folder, debounce=SETTLE, step=SETTLE // 3, recursive=False, raise_interrupt=False
    ):
        names = {Path(path).name for _, path in batch}
        if saved := [each.slug for each in exercises().values() if each.filename in names]:
            yield saved
        if not folder.is_dir():
            return


def _polled(folder: Path) -> Iterator[list[str]]:
    """Look again and again: slower, and the only way on some network folders."""
    before = _seen(folder)
    while folder.is_dir():
        time.sleep(PAUSE)
        now = _seen(folder)
        if saved := [slug for slug, seen in now.items() if seen != before.get(slug)]:
            yield saved
        before = now


def _seen(folder: Path) -> dict[str, tuple[int, int, int]]:
    seen = {}
    for slug, each in exercises().items():
        try:
            found = (folder / each.filename).stat()
        except OSError:
            continue
        seen[slug] = (found.st_mtime_ns, found.st_size, found.st_ino)
    return seen
