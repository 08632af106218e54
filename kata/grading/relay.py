"""One run of a proof: a worker with the tests, a worker with an implementation, and their messages.

Called by `proof_judge`. The tests are hostile, and so is the implementation's worker from their
first question on: a message of one to the other is passed on as bytes, of which only the first is
read. Only the reports of how a test has ended are decoded here.
"""

import time
from dataclasses import dataclass
from hashlib import sha256

from kata.grading.channel import Channel, Clock, StoppedError, no_answer
from kata.inside import orders, wire
from kata.inside.execution import LONGEST_NAME, LONGEST_TEXT, MOST_KINDS
from kata.verdict import State

MOST_BYTES = 64 * 2**20  # that are passed on in a run
FRAME_COST = 1000  # bytes that a frame counts beside its own
# Seconds to load an implementation: the course's own code, which no test has reached yet.
LOADING_TIME = 5
Past = dict[bytes, bytes]  # what runs did, by digests of all messages that they had received


@dataclass(frozen=True)
class Ending:
    """The ending of a test.

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


class Run:
    """A run of the tests on one implementation, in two workers.

    Args:
        tests: the worker with the tests.
        answer: the worker with the implementation, or a record of its messages.
        trail: notes what the tests do from here on, and what they receive.
        limit: seconds of computing for a test, in either of them.
        end: when the proof as a whole has to be done.
    """

    def __init__(
        self, tests: Channel, answer: "Channel | Record", trail: "Trail", limit: float, end: float
    ) -> None:
        self.trail = trail
        self.answers: list[bytes] = []  # of the implementation
        self._tests, self._answer = tests, answer
        self._limit, self._end = limit, end
        self._bytes = 0

    def begin(self, tests: bytes, answer: bytes) -> Ending:
        """Load the implementation, and execute the proof; `answer` and `tests` are the orders."""
        loading = Clock(LOADING_TIME, time.monotonic() + LOADING_TIME)
        self._answer.send(orders.TESTED + answer, loading)
        self.answers.append(self._answer.receive(loading))
        return self._ending(orders.TESTER + tests)

    def begin_again(self, seed: int) -> Ending:
        """Execute the proof again, with other random numbers."""
        self._bytes = 0
        return self._ending(wire.encode([orders.AGAIN, seed])[0])

    def test(self, name: str) -> Ending:
        """Run one test; raise StoppedError if a worker has to be stopped, or has ended."""
        return self._ending(wire.encode([name])[0])

    def _ending(self, order: bytes) -> Ending:
        self.trail.gets(order)
        speaker: Channel | Record
        listener: Channel | Record
        speaker, listener = self._tests, self._answer
        clocks = {speaker: Clock(self._limit, self._end), listener: Clock(self._limit, self._end)}
        speaker.send(order, clocks[speaker])
        while True:
            begun = time.monotonic()
            frame = speaker.receive(clocks[speaker])
            clocks[listener].put_off(time.monotonic() - begun)
            if speaker is self._tests and frame[:1] == orders.REPORT:
                ending = _read(frame)
                self.trail.does(bytes([ending.passed]))
                return ending
            self._bytes += len(frame) + FRAME_COST
            if frame[:1] not in (orders.ASK, orders.ANSWER):
                raise no_answer("neither a question nor an answer")
            if self._bytes > MOST_BYTES:
                raise StoppedError(State.FAILED, "it asks for more than a proof may ask for")
            if speaker is self._tests:
                self.trail.does(frame)
            else:
                self.trail.gets(frame)
                self.answers.append(frame)
            listener.send(frame, clocks[listener])
            speaker, listener = listener, speaker

    @property
    def killed(self) -> bool:
        """Whether a worker was killed from outside."""
        return self._tests.killed or self._answer.killed

    def close(self) -> None:
        """Kill both workers."""
        self._tests.close()
        self._answer.close()


class Record:
    """The messages of an implementation, to be sent again without it."""

    killed = False

    def __init__(self, frames: list[bytes]) -> None:
        self._frames = iter(frames)

    def send(self, message: bytes, clock: Clock) -> None:
        """Do nothing: the message is the same as before, or the trail would have been left."""

    def receive(self, clock: Clock) -> bytes:  # noqa: ARG002  # it takes no time
        """Return the next frame."""
        return next(self._frames)

    def close(self) -> None:
        """Do nothing, as nothing is open."""


def _read(frame: bytes) -> Ending:
    try:
        (passed, kinds, text, line), _ = wire.taken_in(frame[1:])
        names = tuple(str(kind)[:LONGEST_NAME] for kind in kinds[:MOST_KINDS])
        return Ending(passed is True, names[0] if names else "", str(text)[: LONGEST_TEXT + 100],
                      int(line), names)  # fmt: skip
    except Exception as error:  # of any kind: only tampering makes a worker answer like this
        raise no_answer(str(error)[:LONGEST_TEXT]) from None


class InconsistentError(Exception):
    """The tests did something else, although all answers were the same."""


class Trail:
    """The actions of one run, by the answers that it has received before.

    To tell implementations apart by anything but their answers, such as the time that they take, a
    test has to do different things although all answers were the same so far. Among the runs of a
    proof with one seed, the trail detects the first such difference: it compares, byte by byte,
    what a run does next with what other runs did after the same answers. All right answers are
    among these runs. So it catches a test that fails for a wrong answer which answers like a right
    one, however the test recognises it; and it catches a test that throws dice.

    A run is compared from its beginning on, over all its tests: either of the two processes could
    pass on to a later test what an earlier one has learnt.
    """

    def __init__(self, past: Past, seed: int) -> None:
        self._past = past
        self._frames_hash = sha256(str(seed).encode())

    def does(self, frame: bytes) -> None:
        """Note what the tests do: a question, an answer, or how a test has ended.

        Raises InconsistentError if another run has done something else here.
        """
        deed = sha256(frame).digest()
        if self._past.setdefault(self._frames_hash.digest(), deed) != deed:
            raise InconsistentError

    def gets(self, frame: bytes) -> None:
        """Note what the tests receive."""
        self._frames_hash.update(sha256(frame).digest())
