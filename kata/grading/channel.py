"""The judge's end of the socket to one sandboxed worker: frames in and out against a deadline.

Called by `remote`, `relay` and the judges. The worker is hostile: a dead, late or oversized reply
becomes a StoppedError, and what is printed is cut. This module never decodes a frame.
"""

import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from kata.errors import HostError, LostError
from kata.grading.options import KILLS
from kata.grading.workers import Launcher
from kata.inside import wire
from kata.text import clean
from kata.verdict import State

LONGEST_OUTPUT = 10_000  # characters that are kept; reports have fewer
PIECE = 65_536
# Times the limit in CPU seconds, as the limit on the wall: for a worker that waits or sleeps.
WALL_FACTOR = 2
# CPU seconds for a second on the wall; a worker that had less was perhaps kept from running.
STARVED_BELOW = 0.5
BY_OTHERS = {"", signal.strsignal(signal.SIGKILL)}  # ends that a worker cannot bring about
TIMED_OUT = "ran out of time"


def connect(workers: Launcher) -> "Channel":
    """Start a worker; raise LostError if none starts, which is nobody's mistake."""
    try:
        return Channel(workers)
    except (HostError, OSError) as error:
        raise LostError(str(error)) from None


class Channel:
    """A connection to one worker."""

    def __init__(self, workers: Launcher) -> None:
        self._workers = workers
        self._seconds = 0.0  # CPU seconds of the worker, when somebody last looked
        self.printed = ""
        self.killed = False
        self._unread = bytearray()
        self._channel, theirs = socket.socketpair()
        self._output, output = socket.socketpair()
        self._channel.setblocking(False)
        self._output.setblocking(False)
        with theirs, output, ExitStack() as unless_it_starts:
            unless_it_starts.callback(self._output.close)
            unless_it_starts.callback(self._channel.close)
            workers.start(theirs, output)
            unless_it_starts.pop_all()
        self._poll = select.poll()
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._output, select.POLLIN)

    def ask(self, question: bytes, clock: "Clock") -> bytes:
        """Return the answer to a question; collect what is printed meanwhile."""
        self.send(question, clock)
        return self.receive(clock)

    def send(self, message: bytes, clock: "Clock") -> None:
        """Send a message, to receive the answer later."""
        with self._alive():
            self._send(wire.LENGTH.pack(len(message)) + message, clock)

    def receive(self, clock: "Clock") -> bytes:
        """Return the next answer."""
        with self._alive():
            (size,) = wire.LENGTH.unpack(self._receive(wire.LENGTH.size, clock))
            if size > wire.LARGEST:
                raise StoppedError(State.TAMPERED, wire.too_large(size))
            return self._receive(size, clock)

    @contextmanager
    def _alive(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, ConnectionError):
            reason = self._workers.reason()
            self.killed = reason in BY_OTHERS
            reason = clean(reason or "for an unknown reason")
            text = f"the process of the submission ended in the middle of this claim: {reason}"
            raise StoppedError(State.ERROR, text) from None

    def _send(self, data: bytes, clock: "Clock") -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._channel.send(rest) :]
            except BlockingIOError:
                self._wait(clock, select.POLLOUT)

    def _receive(self, size: int, clock: "Clock") -> bytes:
        while len(self._unread) < size:
            self._wait(clock, select.POLLIN)
            with suppress(BlockingIOError):
                more = self._channel.recv(PIECE)
                if not more:
                    raise EOFError
                self._unread += more
        message = bytes(self._unread[:size])
        del self._unread[:size]
        return message

    def _wait(self, clock: "Clock", event: int) -> None:
        """Wait until the worker is ready for this, or its time is over."""
        self._poll.modify(self._channel, event)
        ready: list[tuple[int, int]] = []
        while self._channel.fileno() not in (descriptor for descriptor, _ in ready):
            left = clock.left()
            if not left:
                before, self._seconds = self._seconds, self._workers.seconds()
                clock.check(before, self._seconds)
            ready = self._poll.poll(left * 1000)
            if any(descriptor == self._output.fileno() for descriptor, _ in ready):
                self._take()

    def quiet(self) -> bool:
        """Tell whether nothing has been printed so far."""
        with suppress(OSError):
            return not self.printed and not self._output.recv(PIECE, socket.MSG_PEEK)
        return not self.printed

    def _take(self) -> None:
        """Collect what was printed, up to a limit."""
        piece = b""
        with suppress(BlockingIOError, ConnectionError):
            piece = self._output.recv(PIECE)
        if not piece:
            self._poll.unregister(self._output)
        if len(self.printed) < LONGEST_OUTPUT:
            self.printed += piece.decode("utf-8", "replace")

    def close(self) -> None:
        """Kill the worker."""
        self._workers.stop()
        with suppress(OSError):
            while len(self.printed) < LONGEST_OUTPUT and (piece := self._output.recv(PIECE)):
                self.printed += piece.decode("utf-8", "replace")
        self._channel.close()
        self._output.close()


class Clock:
    """The time for a claim: so many CPU seconds of the worker, at most twice as many of the wall.

    Args:
        limit: CPU seconds.
        end: when the submission as a whole has to be done.
    """

    def __init__(self, limit: float, end: float) -> None:
        self._begun = time.monotonic()
        self._limit = limit
        self._look = min(self._begun + limit, end)
        self._end = min(self._begun + WALL_FACTOR * limit, end)
        self._used_before: float | None = None  # CPU seconds; unknown until somebody has to look

    def put_off(self, seconds: float) -> None:
        """Extend all deadlines by `seconds` that are not this worker's fault."""
        self._begun, self._look = self._begun + seconds, self._look + seconds
        self._end += seconds

    def left(self) -> float:
        """Return the seconds until a look at what the worker has used."""
        return max(0.0, self._look - time.monotonic())

    def check(self, before: float, now: float) -> None:
        """Raise StoppedError if the time is over; else there will be another look later.

        Args:
            before: what the worker had used at the last look, of whichever claim.
            now: what it has used now.
        """
        if self._used_before is None:
            self._used_before = before
        used, passed = now - self._used_before, time.monotonic() - self._begun
        if used >= self._limit or self._begun + passed >= self._end:
            raise StoppedError(State.TIMED_OUT, TIMED_OUT, starved=used < STARVED_BELOW * passed)
        self._look = min(time.monotonic() + self._limit - used, self._end)


class StoppedError(BaseException):
    """The worker was stopped during a claim, which therefore has this state.

    A BaseException, so that no handler takes it for an error of the learner's code. `starved` if
    the worker ran out of time without having had it: others may have kept it from running.
    """

    def __init__(self, state: State, text: str, *, starved: bool = False) -> None:
        super().__init__(text)
        self.state = state
        self.text = text
        self.starved = starved


def no_answer(reason: str) -> StoppedError:
    """Make the error for an answer that no honest worker sends."""
    text = f"the process of the submission sent an invalid reply ({clean(reason)})"
    return StoppedError(State.TAMPERED, text)


def killed_from_outside() -> LostError:
    """Make the error for workers that somebody has killed one after the other."""
    return LostError(f"the process of this submission was killed from outside {KILLS} times")
