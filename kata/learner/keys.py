"""Single keys from a terminal, without Enter."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def single_keys() -> Iterator[None]:
    """The terminal hands over each key at once, and is put back as it was."""
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
    """One key after the other; ends with the input."""
    while key := _key():
        yield key.lower()


def _key() -> str:
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.getwch()
    return os.read(sys.stdin.fileno(), 1).decode("ascii", "replace")
