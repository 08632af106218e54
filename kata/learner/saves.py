"""Tells which exercises of a folder were saved, as it happens."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from kata.course.curriculum import exercises

PAUSE = 0.05  # seconds between two checks of the folder, without watchfiles
SETTLE = 20  # milliseconds in which an editor writes one file
DOUBT = 500  # milliseconds after which to check anyway: an event can be missed
Stamp = tuple[int, int, int]


def changes(
    folder: Path, *, poll: bool = False, ticks: Iterable[object] = ()
) -> Iterator[list[str]]:
    """The slugs of what is saved from now on, in course order; ends when the folder is gone.

    Args:
        folder: the learner's.
        poll: whether it looks at the files instead of waiting to hear of a change.
        ticks: an item whenever it is time to check, if another clock than the folder's says so.
    """
    return _changes(folder, _seen(folder), ticks or _ticks(folder, poll=poll))


def _changes(
    folder: Path, before: dict[str, Stamp], ticks: Iterable[object]
) -> Iterator[list[str]]:
    for _ in ticks:
        now = _seen(folder)
        if saved := [slug for slug, stamp in now.items() if stamp != before.get(slug)]:
            yield saved
        before = now
        if not folder.is_dir():
            return


def _ticks(folder: Path, *, poll: bool) -> Iterator[object]:
    """An item whenever it is time to check: at once, or after DOUBT on some network folders."""
    try:
        from watchfiles import watch
    except ImportError:
        poll = True
    while poll:
        time.sleep(PAUSE)
        yield None
    yield from watch(
        folder,
        debounce=SETTLE,
        step=SETTLE // 2,
        rust_timeout=DOUBT,
        yield_on_timeout=True,
        recursive=False,
        raise_interrupt=False,
    )


def _seen(folder: Path) -> dict[str, Stamp]:
    stamps = {}
    for slug, exercise in exercises().items():
        try:
            status = (folder / exercise.filename).stat()
        except OSError:
            continue
        stamps[slug] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return stamps
