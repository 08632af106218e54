"""A judge in a process of its own: a fresh Python, which is talked to over a socket.

It is not one of multiprocessing's, because a worker of a cluster may not start those.
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
from kata.verdict import submission_to_dict

WARMING = 300  # seconds for the imports of the first submission
IDLE = 600  # seconds without work after which a judge process exits


class JudgeProcess:
    """A judge that is started again whenever it has crashed."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = Lock()  # between a thread that asks and one that closes
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def _start(self) -> None:
        """Start the process, if none runs."""
        with self._lock:
            if self._closed or (self._process and self._process.poll() is None):
                return
            self._pipe, theirs = Pipe()
            command = [sys.executable, "-m", __name__, str(theirs.fileno())]
            with theirs:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    cwd=ROOT,  # so that it imports this kata
                    start_new_session=True,  # Ctrl-C is for the process that gives out the work
                )
        self._patience = WARMING + self._options.patience
        with suppress(OSError):  # a crash is noticed when the answer is read
            self._pipe.send(self._options)

    def ask(self, handed: HandedIn) -> dict[str, Any] | None:
        """The verdict as plain data; None if the judge crashed on it, or takes too long."""
        self._start()
        with suppress(EOFError, OSError):
            self._pipe.send(handed)
            if self._pipe.poll(self._patience):
                return self._verdict(self._pipe.recv())
        self._end()
        return None

    def _verdict(self, found: dict[str, Any] | str) -> dict[str, Any]:
        if isinstance(found, str):
            raise HostError(found)
        self._patience = 2 * self._options.patience + 10  # its imports are done
        return found

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End the process, whatever it is doing, and start no other."""
        with self._lock:
            self._closed = True
            self._end()


def _exit_with(descriptor: int) -> None:
    """Exit when the process at the other end has gone, also in the middle of a submission."""
    hung_up = select.poll()
    hung_up.register(descriptor, 0)  # no event but that it is closed
    hung_up.poll()
    os._exit(1)


def serve(pipe: "Connection[Any, Any]", options: Options) -> None:
    """Get ready, then judge one submission after the other."""
    os.environ["OMP_NUM_THREADS"] = "1"
    from kata.grading.judges.judge_submission import judge_for

    try:
        judge = judge_for(options)
    except HostError as error:  # no submission is to blame
        pipe.send(str(error))
        return
    with suppress(EOFError, OSError):
        while pipe.poll(IDLE):  # a client of a cluster may vanish without a word
            pipe.send(submission_to_dict(judge.grade(pipe.recv())))


def main(descriptor: int) -> None:
    """What the process does."""
    Thread(target=_exit_with, args=[descriptor], daemon=True).start()
    with Connection(descriptor) as pipe:
        serve(pipe, pipe.recv())


if __name__ == "__main__":
    main(int(sys.argv[1]))
