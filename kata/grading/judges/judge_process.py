"""The processes of a pool of judges, as the process that gives out the work sees them.

They are not multiprocessing's, because a worker of a cluster may not start those.
"""

import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

from kata.course.curriculum import CODE
from kata.errors import HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges import first_judge
from kata.grading.judges.answer import Answer
from kata.grading.options import Options
from kata.grading.sandbox import sandbox
from kata.interpreter import beside_the_code
from kata.words import say

WARMING = 300  # seconds for the imports of the first judge
MOST_STARTS = 3  # of one that ends at once


class FirstJudgeProcess:
    """The process of which the judges are forks; started again whenever it has crashed."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = Lock()  # several threads may need a judge
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = False
        self._begin()

    def _begin(self) -> None:
        """Start the process, without waiting until it is ready."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(WARMING)
        command = [sys.executable, "-m", first_judge.__name__, str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd=CODE,  # so that it imports this kata
                env=beside_the_code(),
                start_new_session=True,  # Ctrl-C is for the process that gives out the work
            )
        self._is_ready = False
        with suppress(OSError):  # a crash is noticed when the answer is read
            self._control.send(first_judge.packed(self._options, sandbox.found()))

    def _wait(self) -> None:
        """Wait until it is ready."""
        for _ in range(MOST_STARTS):
            if self._control is None and not self._closed:
                self._begin()
            self._is_ready = self._is_ready or self._says_so()
            if self._is_ready or self._closed:
                return
            self._end()
        raise HostError(say("judges.does-not-start"))

    def _says_so(self) -> bool:
        """Whether it says that it is ready; not if it has ended."""
        with suppress(OSError):
            said = self._control.recv(first_judge.SHORT).decode() if self._control else ""
            if said and said != first_judge.READY:
                raise HostError(said)
            return bool(said)
        return False

    def fork(self) -> tuple["Connection[Any, Any]", int]:
        """A connection to a new judge, and the number of its process."""
        with self._lock:
            for _ in range(MOST_STARTS):
                if self._closed:
                    break
                self._wait()
                if found := self._forked():
                    return found
                self._end()
        raise HostError(say("judges.does-not-start"))

    def _forked(self) -> tuple["Connection[Any, Any]", int] | None:
        if not self._control:
            return None
        mine, theirs = Pipe()
        with theirs, suppress(OSError, ValueError):
            socket.send_fds(self._control, [first_judge.FORK], [theirs.fileno()])
            return mine, int(self._control.recv(first_judge.SHORT))
        mine.close()
        return None

    def end_of(self, process: int) -> None:
        """Kill one of the judges, whatever it is doing."""
        with self._lock, suppress(OSError):
            if self._control:
                self._control.send(first_judge.END + str(process).encode())
                self._control.recv(first_judge.SHORT)

    def close(self) -> None:
        """End the process, and start no other; judges end when their connections are closed."""
        self._closed = True
        if self._process:
            self._process.kill()  # whoever waits for it holds the lock, and waits no longer
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        if self._control:
            self._control.close()
        self._control = None


class JudgeProcess:
    """A judge that is replaced whenever it has crashed."""

    def __init__(self, options: Options, first: FirstJudgeProcess) -> None:
        self._options = options
        self._first = first
        self._pipe: Connection[Any, Any] | None = None
        self._process = 0
        self._patience = 0.0

    def ask(self, handed: HandedIn) -> Answer | None:
        """What it answers; None if it crashed, or takes too long.

        Raises HostError if no judge can be started.
        """
        pipe = self._pipe or self._connect()
        with suppress(EOFError, OSError):
            pipe.send(handed)
            if pipe.poll(self._patience + self._options.patience_for(len(handed.proofs))):
                self._patience = 2 * self._options.patience + 10  # what is lazy is done
                return pipe.recv()  # type: ignore[no-any-return]
        self.close()
        return None

    def _connect(self) -> "Connection[Any, Any]":
        self._pipe, self._process = self._first.fork()
        self._patience = WARMING + self._options.patience
        return self._pipe

    def close(self) -> None:
        """End it, whatever it is doing."""
        if self._pipe:
            self._pipe.close()
            self._first.end_of(self._process)
        self._pipe = None
