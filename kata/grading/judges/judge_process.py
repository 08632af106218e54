"""A judge in a process that anybody can start: for places where multiprocessing cannot.

The processes of a cluster have threads, and are not allowed to have children of their own kind.
So this one is a fresh Python, and what is said goes over a socket.
"""

import os
import select
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import Any

from kata.course.curriculum import ROOT
from kata.errors import HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.options import Options
from kata.grading.judges.pool import WARMING, serve

IDLE = 600  # seconds after which a judge to whom nobody speaks goes home


class JudgeProcess:
    """Where a judge sits; there is a new one whenever the last has died."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = Lock()  # between who asks and who closes
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Let a judge come, if there is none."""
        with self._lock:
            if self._closed or (self._process and self._process.poll() is None):
                return
            self._pipe, theirs = Pipe()
            with theirs:
                self._process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "kata.grading.judges.judge_process",
                        str(theirs.fileno()),
                    ],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    cwd=ROOT,  # so that it is this kata
                )
            self._patience = WARMING + self._options.patience
        with suppress(OSError):  # that it is dead will be noticed when its answer is read
            self._pipe.send(self._options)

    def ask(self, handed: HandedIn) -> dict[str, Any] | None:
        """The verdict as plain data; None if the judge has died over it, or is late."""
        self.start()
        with suppress(EOFError, OSError):
            self._pipe.send(handed)
            if self._pipe.poll(self._patience):
                return self._told(self._pipe.recv())
        self._end()
        return None

    def _told(self, found: dict[str, Any] | str) -> dict[str, Any]:
        if isinstance(found, str):
            raise HostError(found)
        self._patience = 2 * self._options.patience + 10  # it is warm now
        return found

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Send the judge home, whatever it does; nobody comes any more."""
        with self._lock:
            self._closed = True
            self._end()


class _Line(Connection):
    """What a judge hears; it ends when nothing has come for long."""

    def recv(self) -> Any:
        """The next thing that is said."""
        if not self.poll(IDLE):  # whoever has started it may be gone without a word
            raise EOFError
        return super().recv()


def _end_with(descriptor: int) -> None:
    """End when nobody is at the other end any more, also in the middle of a submission."""
    line = select.poll()
    line.register(descriptor, 0)  # nothing but that it is closed
    line.poll()
    os._exit(1)


def main(descriptor: int) -> None:
    """What the process does."""
    Thread(target=_end_with, args=[descriptor], daemon=True).start()
    with _Line(descriptor) as line:
        serve(line, line.recv())


if __name__ == "__main__":
    main(int(sys.argv[1]))
