"""The script of an exercise: all its questions in one message, and claims judged by the answers.

Called by `verdicts.script_judge`. What a suite asks is nearly always known in advance, so it is
recorded once, with the reference, in the judge's process. A worker answers claim by claim; a claim
that asks for anything else is asked live. Its answers are checked as in `sandbox.remote`.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError
from kata.course.target import Reference, Target
from kata.grading.sandbox.channel import Channel, Clock, no_answer
from kata.grading.sandbox.remote import RemoteAttempt
from kata.grading.sandbox.workers import Launcher
from kata.inside import orders, session, wire
from kata.inside.objects import Objects
from kata.judging.attempt import BlockedError, LearnerError, NotWrittenError
from kata.judging.case import Case
from kata.judging.judge import Claim, case_of, check

UNLOADABLE = (LearnerError, UnusableError, NotWrittenError, BlockedError)
NO_LIMIT = 3600  # seconds: the reference is not meant to run out of time


@dataclass(frozen=True)
class Script:
    """What the claims of an exercise ask.

    Args:
        name: of the exercise.
        claims: the messages of each claim.
        data: all of them, as one frame.
    """

    name: str
    claims: list[list[bytes]]
    data: bytes


class UnforeseenError(BaseException):
    """A claim asks for something that the script does not contain."""


def script_of(exercise: Exercise, claims: Sequence[Claim]) -> Script:
    """Record what these claims ask of the reference."""
    attempt = _RecordedAttempt(exercise)
    messages = [attempt.asked_by(claim) for claim in claims]
    data, _ = wire.encode(messages)
    return Script(exercise.slug, messages, wire.LENGTH.pack(len(data)) + data)


class _RecordedAttempt(RemoteAttempt):
    """The reference, in this process, with everything that is asked of it."""

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise, Reference(), None, NO_LIMIT, time.monotonic() + NO_LIMIT)
        self._desk = session.Session()
        self._asked: list[bytes] = []
        self.begin(Case("", exercise.library))
        self.load()

    def asked_by(self, claim: Claim) -> list[bytes]:
        """The messages of one claim."""
        self._asked = []
        check(claim, self, case_of(claim, self.exercise))
        return self._asked

    def _connect(self) -> None:
        """The desk is right here."""

    def _answer(self, message: bytes) -> bytes:
        self._asked.append(message)
        return self._desk.reply(session.request(message))


class ScriptedAttempt(RemoteAttempt):
    """One exercise of one submission, whose worker answers a script.

    Args:
        script: what the claims ask; the workers have to know it.
        channel: to a worker that has judged earlier exercises of this submission, if there is one.
    """

    def __init__(
        self,
        exercise: Exercise,
        target: Target,
        workers: Launcher,
        limit: float,
        end: float,
        script: Script,
        channel: Channel | None,
    ) -> None:
        super().__init__(exercise, target, workers, limit, end)
        self._channel = channel
        self._script = script
        self._replies: Iterator[tuple[bytes, bytes]] | None = None  # None: questions are live
        self._opened: Objects | None = None
        self._renews = False  # whether the next frame has a time of its own

    def open(self, claim: Claim) -> None:
        """Load the file within the time of its first claim; the worker goes on to the script.

        Raises UnforeseenError if it cannot be loaded.
        """
        self.begin(case_of(claim, self.exercise))
        try:
            self._opened = self.load()
        except UNLOADABLE:
            raise UnforeseenError from None

    def _answer(self, message: bytes) -> bytes:
        if self._replies is not None:
            foreseen, reply = next(self._replies, (b"", b""))
            if message != foreseen:
                raise UnforeseenError
            return reply
        assert self._channel
        if self._bench is None:  # it is the load, and the script can follow without being asked
            run = orders.SCRIPTED + self._script.name.encode()
            self._channel.send(message, self._clock)
            self._channel.send(run, self._clock)
            return self._channel.receive(self._clock)
        return super()._answer(message)

    def frame(self) -> bytes:
        """Receive the answers of the next claim; loading counts towards the first claim's time.

        Raises StoppedError if they do not come.
        """
        assert self._channel
        if self._renews:
            self._clock = Clock(self._limit, self._end)
        self._renews = True
        with self._stopping():
            return self._channel.receive(self._clock)

    @contextmanager
    def foreseen(self, asked: Sequence[bytes], frame: bytes) -> Iterator[None]:
        """Judge a claim within this block from the answers to its messages."""
        try:
            replies = wire.replies(frame)
        except wire.WireError as error:
            raise no_answer(str(error)) from None
        if len(replies) != len(asked):  # they were too large for a frame
            raise UnforeseenError
        self._bench, self._waiting = self._opened, []
        self._replies = zip(asked, replies, strict=True)
        try:
            yield
        finally:
            self._replies = None
            self.hung.clear()  # what was broken off has not run out of time

    def leave(self) -> Channel | None:
        """Hand over the connection; None if the worker must not be used again."""
        channel = self._channel
        if channel is None or self.events or not channel.quiet():
            return None
        self._channel = None
        return channel
