"""A real `kata watch` in a terminal of its own: what is saved and pressed, and what it shows.

Not on Windows, which has no such terminals.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from select import select
from typing import Self

from kata.course.curriculum import ROOT

ROWS, COLUMNS = 24, 96
COMMAND = "kata watch --core"
PATIENCE = 250  # seconds, for a busy machine
CLEARED = re.compile(r"\n+\x1b\[H\x1b\[J")  # what `kata watch` writes to begin with an empty screen
TIMES = re.compile(r"\d\d:\d\d:\d\d  |  \(\d+\.\d\d s\)")  # all that differs from run to run
OWN = ("PYTEST", "COV", "CI", "COLUMNS", "LINES", "NO_COLOR", "COLORTERM")


class Session:
    """A watcher that reads keys, in a terminal of ROWS and COLUMNS."""

    def __init__(self, home: Path) -> None:
        self._keyboard, screen = _terminal()
        self._process = subprocess.Popen(
            [sys.executable, "-m", *COMMAND.split()], cwd=home, env=environment(),
            stdin=screen, stdout=screen, stderr=screen, start_new_session=True,
        )  # fmt: skip
        os.close(screen)
        self._written = b""
        self._seen = 0

    def until(self, *texts: str) -> None:
        """Wait until these are written, one after the other, after all that was waited for."""
        for text in texts:
            wanted, end = text.encode(), time.monotonic() + PATIENCE
            while wanted not in self._written[self._seen :]:
                if time.monotonic() > end or not self._read():
                    raise AssertionError(f"{text!r} was not written:\n{self.written}")
            self._seen = self._written.index(wanted, self._seen) + len(wanted)

    def press(self, key: str) -> None:
        """Type one key."""
        os.write(self._keyboard, key.encode())

    def end(self) -> None:
        """Quit, and read what is left."""
        self.press("q")
        while self._read():
            pass
        self._process.wait(PATIENCE)

    def _read(self) -> bool:
        """Whether there may be more."""
        if not select([self._keyboard], [], [], 1)[0]:
            return True
        try:
            found = os.read(self._keyboard, 65536)
        except OSError:  # how Linux says that the other end is closed
            found = b""
        self._written += found
        return bool(found)

    @property
    def written(self) -> str:
        """All of it so far, without times."""
        return TIMES.sub("", self._written.decode("utf-8", "replace").replace("\r\n", "\n"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._keyboard)


def _terminal() -> tuple[int, int]:
    """The two ends of a new one."""
    keyboard, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    return keyboard, screen


def environment() -> dict[str, str]:
    """The same wherever it is made: 256 colours, this kata, nothing of the terminal around it."""
    mine = {key: value for key, value in os.environ.items() if not key.startswith(OWN)}
    terminal = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    return {**mine, **terminal, "PYTHONPATH": str(ROOT)}


def screens(written: str) -> list[list[str]]:
    """What was to be read before each time that the screen was cleared, and at the end."""
    return [_last_rows(each) for each in CLEARED.split(written)]


def _last_rows(written: str) -> list[str]:
    """Those that have not scrolled away; the cursor waits below them."""
    return written.rstrip("\n").split("\n")[1 - ROWS :]
