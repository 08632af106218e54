"""The connection to a worker: requests and replies as bytes, with a deadline."""

import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from kata.inside import wire
from kata.verdict import State
from kata.words import say

LONGEST_OUTPUT = 10_000  # characters that are kept; fewer are shown
PIECE = 65_536
BY_OTHERS = {"", signal.strsignal(signal.SIGKILL)}  # ends that a worker cannot bring about


class StoppedError(BaseException):
    """The worker was stopped during a claim, which therefore has this state.

    A BaseException, so that no handler takes it for an error of the learner's code.
    """

    def __init__(self, state: State, text: str) -> None:
        super().__init__(text)
        self.state = state
        self.text = text


class Workers(Protocol):
    """Starts workers, one at a time."""

    def warm_up(self) -> None:
        """Prepare for that, if necessary."""

    def start(self, channel: socket.socket, printed: socket.socket) -> None:
        """Start a worker that answers and prints to these sockets."""

    def stop(self) -> None:
        """Kill it, whatever it is doing."""

    def reason(self) -> str:
        """Why it exited by itself."""


class Channel:
    """A connection to one worker."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self.printed = ""
        self.killed = False
        self._unread = bytearray()
        self._channel, theirs = socket.socketpair()
        self._output, output = socket.socketpair()
        self._channel.setblocking(False)
        self._output.setblocking(False)
        with theirs, output:
            workers.start(theirs, output)
        self._poll = select.poll()
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._output, select.POLLIN)

    def ask(self, question: bytes, deadline: float) -> bytes:
        """The answer to a question; what is printed meanwhile is collected."""
        try:
            self._send(wire.LENGTH.pack(len(question)) + question, deadline)
            (size,) = wire.LENGTH.unpack(self._receive(wire.LENGTH.size, deadline))
            if size > wire.LARGEST:
                raise StoppedError(State.TAMPERED, say("inside.too-large", size=size // 2**20))
            return self._receive(size, deadline)
        except (EOFError, ConnectionError):
            raise StoppedError(State.ERROR, say("sandbox.died", reason=self._reason())) from None

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._channel.send(rest) :]
            except BlockingIOError:
                self._wait(deadline, select.POLLOUT)

    def _receive(self, size: int, deadline: float) -> bytes:
        while len(self._unread) < size:
            self._wait(deadline, select.POLLIN)
            with suppress(BlockingIOError):
                more = self._channel.recv(PIECE)
                if not more:
                    raise EOFError
                self._unread += more
        found = bytes(self._unread[:size])
        del self._unread[:size]
        return found

    def _wait(self, deadline: float, what: int) -> None:
        """Wait until the worker is ready for this, or the deadline passes."""
        self._poll.modify(self._channel, what)
        ready: list[tuple[int, int]] = []
        while self._channel.fileno() not in (each for each, _ in ready):
            left = deadline - time.monotonic()
            late = left <= 0 and bool(ready)  # it only printed
            ready = [] if late else self._poll.poll(max(0.0, left) * 1000)
            if not ready and left <= 0:
                raise StoppedError(State.TIMED_OUT, say("sandbox.timed-out"))
            if any(each == self._output.fileno() for each, _ in ready):
                self._take()

    def _take(self) -> None:
        """Collect what was printed, up to a limit."""
        piece = b""
        with suppress(BlockingIOError, ConnectionError):
            piece = self._output.recv(PIECE)
        if not piece:
            self._poll.unregister(self._output)
        if len(self.printed) < LONGEST_OUTPUT:
            self.printed += piece.decode("utf-8", "replace")

    def _rest(self) -> Iterator[bytes]:
        with suppress(OSError):
            while len(self.printed) < LONGEST_OUTPUT and (piece := self._output.recv(PIECE)):
                yield piece

    def _reason(self) -> str:
        reason = self._workers.reason()
        self.killed = reason in BY_OTHERS
        return reason or say("sandbox.ended")

    def close(self) -> None:
        """Kill the worker."""
        self._workers.stop()
        for piece in self._rest():
            self.printed += piece.decode("utf-8", "replace")
        self._channel.close()
        self._output.close()
