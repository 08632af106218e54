"""One run of a proof: a worker with the tests, a worker with an implementation, and what they say.

Neither is trusted. What one says to the other is passed on as bytes, and never read.
"""

import time
from dataclasses import dataclass
from typing import Protocol

from kata.errors import HostError, LostError
from kata.grading.proving.consistency import Trail
from kata.grading.sandbox.channel import Channel, Clock, StoppedError, Workers, no_answer
from kata.inside import orders, wire
from kata.inside.exceptions import LONGEST_TEXT, MOST_KINDS
from kata.inside.proving.connection import AGAIN, ANSWER, ASK, TOLD
from kata.verdict import State
from kata.words import say

MOST_BYTES = 64 * 2**20  # that are passed on in a run
SPARE = 1000  # as which each frame counts besides
LONGEST_KIND = 60
LOADING = 5  # seconds for an implementation, which is trusted


@dataclass(frozen=True)
class Told:
    """How a test has ended.

    Attributes:
        passed: whether it raised nothing.
        kind: the name of the class of what it raised.
        text: of that.
        line: of the proof, the last one that it came through.
        kinds: all its classes.
    """

    passed: bool
    kind: str = ""
    text: str = ""
    line: int = 0
    kinds: tuple[str, ...] = ()


class Answering(Protocol):
    """What the tests talk to: a worker with an implementation, or a record of one."""

    killed: bool

    def send(self, message: bytes, clock: Clock) -> None:
        """Pass on what the tests say."""

    def receive(self, clock: Clock) -> bytes:
        """What it says to them."""

    def close(self) -> None:
        """No more is asked."""


class Record:
    """What an implementation has said, to be said again without it."""

    killed = False

    def __init__(self, frames: list[bytes]) -> None:
        self._frames = iter(frames)

    def send(self, message: bytes, clock: Clock) -> None:
        """It is the same as before, or the trail would have been left."""

    def receive(self, clock: Clock) -> bytes:  # noqa: ARG002  # it takes no time
        """The next frame."""
        return next(self._frames)

    def close(self) -> None:
        """Nothing is open."""


class Run:
    """Two workers, for one implementation.

    Args:
        tests: the worker with the tests.
        answer: the one with the implementation.
        trail: where it is noted what the tests do, and what they are given.
        limit: seconds of computing for a test, in either of them.
        end: when the proof as a whole has to be done.
    """

    def __init__(
        self, tests: Channel, answer: Answering, trail: Trail, limit: float, end: float
    ) -> None:
        self._limit, self._end, self._trail = limit, end, trail
        self._bytes = 0
        self._tests, self._answer = tests, answer
        self.said: list[bytes] = []  # by the implementation

    def begin(self, tests: bytes, answer: bytes) -> Told:
        """Load the implementation, and execute the proof; `answer` and `tests` are the orders."""
        loading = Clock(LOADING, time.monotonic() + LOADING)
        self._answer.send(orders.TESTED + answer, loading)
        self.said.append(self._answer.receive(loading))
        return self._told(orders.TESTER + tests)

    def begin_again(self, seed: int) -> Told:
        """Execute the proof again, with other random numbers."""
        self._bytes = 0
        return self._told(wire.encode([AGAIN, seed])[0])

    def follow(self, trail: Trail) -> None:
        """Note on this trail what is done from here on."""
        self._trail = trail

    def test(self, name: str) -> Told:
        """Run one test; raises StoppedError if a worker has to be stopped, or has ended."""
        return self._told(wire.encode([name])[0])

    def _told(self, order: bytes) -> Told:
        self._trail.gets(order)
        both: tuple[Answering, Answering] = self._tests, self._answer
        clocks = {each: Clock(self._limit, self._end) for each in both}
        speaker, other = both
        speaker.send(order, clocks[speaker])
        while True:
            begun = time.monotonic()
            frame = speaker.receive(clocks[speaker])
            clocks[other].put_off(time.monotonic() - begun)
            if speaker is self._tests and frame[:1] == TOLD:
                told = _told(frame)
                self._trail.does(bytes([told.passed]))
                return told
            self._pass_on(frame, speaker)
            other.send(frame, clocks[other])
            speaker, other = other, speaker

    def _pass_on(self, frame: bytes, speaker: Answering) -> None:
        self._bytes += len(frame) + SPARE
        if frame[:1] not in (ASK, ANSWER):
            raise no_answer(say("proving.no-question"))
        if self._bytes > MOST_BYTES:
            raise StoppedError(State.FAILED, say("proving.too-much"))
        if speaker is self._tests:
            self._trail.does(frame)
        else:
            self._trail.gets(frame)
            self.said.append(frame)

    @property
    def killed(self) -> bool:
        """Whether a worker was killed from outside."""
        return self._tests.killed or self._answer.killed

    def close(self) -> None:
        """Kill both workers."""
        self._tests.close()
        self._answer.close()


def channel(workers: Workers) -> Channel:
    """A worker; raises LostError if none can be started."""
    try:
        return Channel(workers)
    except (HostError, OSError) as error:
        raise LostError(str(error)) from None


def _told(frame: bytes) -> Told:
    try:
        (passed, kinds, text, line), _ = wire.taken_in(frame[1:])
        names = tuple(str(each)[:LONGEST_KIND] for each in kinds[:MOST_KINDS])
        return Told(passed is True, names[0] if names else "", str(text)[: LONGEST_TEXT + 100],
                    int(line), names)  # fmt: skip
    except Exception as error:  # of any kind: only tampering makes a worker answer like this
        raise no_answer(str(error)[:LONGEST_TEXT]) from None
