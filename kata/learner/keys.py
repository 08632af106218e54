"""Single keys from a terminal, without Enter."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 64  # bytes of one key or of a few
ESCAPE = "\x1b"


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
    """The keys as they are pressed, until the input ends; one with many characters is an ESCAPE."""
    while pressed := _pressed():
        yield from [ESCAPE] if pressed.startswith(ESCAPE) else pressed.lower()


def _pressed() -> str:
    """One key; or what was typed while nobody looked."""
    if sys.platform == "win32":
        import msvcrt

        key = msvcrt.getwch()
        if key in {"\0", "\xe0"}:  # an arrow, or a key like F1: its code follows
            return ESCAPE + msvcrt.getwch()
        return key.replace("\r", "\n")
    return os.read(sys.stdin.fileno(), MOST).decode("utf-8", "replace")
