"""A process that reads what was handed in, within limits of time and memory.

It is a fresh Python without torch. One serves a whole class, and is replaced only if it has died or
is late. That it dies is the grader's failure, or that of the machine: it is asked again.
"""

import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import IO, Any

from kata.course.curriculum import CODE
from kata.errors import HostError
from kata.interpreter import beside_the_code
from kata.words import say

CHILD = "kata.grading.collecting.reading_process"
SECONDS = 20  # of computing, for the work of one student
PATIENCE = 120  # seconds for it in all: a machine may be busy, and a disk slow
WARMING = 60  # seconds for the process to start
TRIES = 3


class UnreadError(Exception):
    """The work cannot be read; the text says why."""


class Reader:
    """Such a process, and the next one if it dies."""

    def __init__(self) -> None:
        self._process: _Process | None = None
        with suppress(OSError):  # tried again when it is needed
            self._process = _Process()

    def ask(self, task: str, about: object) -> Any:
        """The answer to a task of `reading_process`; raises UnreadError if there is none."""
        for _ in range(TRIES):
            process = self._ready()
            with suppress(OSError, EOFError, pickle.UnpicklingError):
                return _checked(process.ask((task, about), PATIENCE))
            if reason := process.end():
                raise UnreadError(reason)
        raise UnreadError(say("collecting.reader-died", count=TRIES))

    def _ready(self) -> "_Process":
        """A process that waits for a task; no student is to blame if there is none."""
        reason = ""
        for pause in range(TRIES):
            try:
                if not (self._process and self._process.lives):
                    self.close()
                    self._process = _Process()
                self._process.wait_until_ready()
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                reason = str(error) or type(error).__name__
                self.close()
                time.sleep(pause)  # the machine may have had too many processes
            else:
                return self._process
        raise HostError(say("collecting.no-reader", reason=reason))

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process:
            self._process.end()


class _Process:
    def __init__(self) -> None:
        self._waits, self._late = False, 0
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-m", CHILD, str(SECONDS)],  # no site: it needs no packages
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=CODE,  # so that it imports this kata
            env=beside_the_code(),
            start_new_session=True,  # Ctrl-C is for the process that asks
        )

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        tasks, answers = self._process.stdin, self._process.stdout
        assert tasks
        assert answers
        return tasks, answers

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        if not self._waits:
            with self._within(WARMING) as (_, answers):
                self._waits = pickle.load(answers)

    def ask(self, task: tuple[str, object], seconds: int) -> tuple[bool, Any]:
        with self._within(seconds) as (tasks, answers):
            pickle.dump(task, tasks)
            tasks.flush()
            found: tuple[bool, Any] = pickle.load(answers)
            return found

    @contextmanager
    def _within(self, seconds: int) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The process' two pipes; the second ends when the time is over."""
        timer = Timer(seconds, self._give_up, [seconds])
        timer.daemon = True
        timer.start()
        try:
            yield self._pipes
        finally:
            timer.cancel()

    def _give_up(self, seconds: int) -> None:
        self._late = seconds
        self._process.kill()

    def end(self) -> str:
        """End it; returns what the student's work did to it, if that is known."""
        self._process.kill()
        used_up = self._process.wait() == -getattr(signal, "SIGXCPU", 0)
        for pipe in self._pipes:
            with suppress(OSError):  # a task that was not sent
                pipe.close()
        late = SECONDS if used_up else self._late
        return say("collecting.slow", seconds=late) if late else ""


def _checked(answer: tuple[bool, Any]) -> Any:
    found, value = answer
    if not found:
        raise UnreadError(value)
    return value
