"""The events of a watch: files that are saved, and keys that are pressed."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kata.course.curriculum import exercises

PAUSE = 0.05  # seconds between two checks of the folder, without watchfiles
SETTLE = 20  # milliseconds in which an editor writes one file
DOUBT = 500  # milliseconds after which to check anyway: an event can be missed
MOST = 64  # bytes of one key, or of a few
ESCAPE = "\x1b"
Stamp = tuple[int, int, int]


def changes(
    folder: Path, *, poll: bool = False, ticks: Iterable[object] = ()
) -> Iterator[list[str]]:
    """Yield the slugs of the files that are saved from now on, until the folder is gone.

    Args:
        folder: the learner's folder.
        poll: whether to look at the files again and again, and not wait for the system's events.
        ticks: an item whenever it is time to check, in place of the folder's events.
    """
    return _changes(folder, _stamps(folder), ticks or _ticks(folder, poll=poll))


def _changes(
    folder: Path, before: dict[str, Stamp], ticks: Iterable[object]
) -> Iterator[list[str]]:
    for _ in ticks:
        now = _stamps(folder)
        if saved := [slug for slug, stamp in now.items() if stamp != before.get(slug)]:
            yield saved
        before = now
        if not folder.is_dir():
            return


def _ticks(folder: Path, *, poll: bool) -> Iterator[object]:
    """Yield when it is time to check: at once, or on some network folders after DOUBT."""
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


def _stamps(folder: Path) -> dict[str, Stamp]:
    stamps = {}
    for slug, exercise in exercises().items():
        try:
            status = (folder / exercise.filename).stat()
        except OSError:
            continue
        stamps[slug] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return stamps


@contextmanager
def single_keys() -> Iterator[None]:
    """Let the terminal pass on keys at once; its settings are restored afterwards."""
    if sys.platform == "win32":
        yield
        return
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def keys() -> Iterator[str]:
    """Yield keys as they are pressed, until the input ends; a key of many characters is ESCAPE."""
    while characters := _read_keys():
        yield from [ESCAPE] if characters.startswith(ESCAPE) else characters.lower()


def _read_keys() -> str:
    """Read one key, or all that were typed in the meantime."""
    if sys.platform == "win32":
        import msvcrt

        key = msvcrt.getwch()
        # After these comes the code of an arrow, or of a key such as F1.
        if key in {"\0", "\xe0"}:
            return ESCAPE + msvcrt.getwch()
        return key.replace("\r", "\n")
    return os.read(sys.stdin.fileno(), MOST).decode("utf-8", "replace")
