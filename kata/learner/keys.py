"""Single keys from a terminal, without Enter."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def single_keys() -> Iterator[None]:
    """The terminal passes on each key at once; its settings are restored afterwards."""
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
    """The keys as they are pressed, until the input ends."""
    while key := _key():
        yield key.lower()


def _key() -> str:
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.getwch()
    return os.read(sys.stdin.fileno(), 1).decode("ascii", "replace")
