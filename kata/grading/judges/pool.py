"""Judges in processes of their own, as many as there are cores; one that dies is replaced."""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from kata.errors import HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.options import Options
from kata.verdict import SubmissionVerdict, submission_from_dict, submission_to_dict
from kata.words import say

MOST_TRIES = 3  # of a submission whose judge dies
WARMING = 300  # seconds for the imports of the first submission


@dataclass
class Work:
    """One submission on its way."""

    handed: HandedIn
    tries: int = 0


class Desk:
    """A judge in a process of its own, and what lies on its desk."""

    def __init__(self, options: Options) -> None:
        context = multiprocessing.get_context("spawn")  # nothing of this process is of use there
        self._options = options
        self.work: Work | None = None
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, options), daemon=True)
        self._process.start()
        theirs.close()
        self._patience = WARMING + options.patience

    def give(self, work: Work) -> None:
        """Put a submission on the desk."""
        work.tries += 1
        self.work, self._until = work, time.monotonic() + self._patience
        with suppress(OSError):  # that it is dead will be noticed when its answer is read
            self.pipe.send(work.handed)

    @property
    def late(self) -> bool:
        """Whether no answer will come any more."""
        return self.work is not None and time.monotonic() > self._until

    def take(self) -> SubmissionVerdict | None:
        """The verdict; None if the judge has died over it."""
        try:
            found: Any = self.pipe.recv()
        except (EOFError, OSError):
            return None
        if isinstance(found, str):
            raise HostError(found)
        self._patience = 2 * self._options.patience + 10  # it is warm now
        return submission_from_dict(found)

    def end(self) -> None:
        """Whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


class JudgePool:
    """So many judges."""

    def __init__(self, options: Options, count: int) -> None:
        self._options = options
        self._desks = [Desk(options) for _ in range(count)]

    def grade(
        self, submissions: Iterator[HandedIn]
    ) -> Iterator[tuple[HandedIn, SubmissionVerdict]]:
        """Every submission with its verdict, in the order in which they are done."""
        again: deque[Work] = deque()
        while True:
            for desk in self._desks:
                if desk.work is None and (work := _next(again, submissions)):
                    desk.give(work)
            busy = [desk for desk in self._desks if desk.work]
            if not busy:
                return
            yield from self._done(busy, again)

    def _done(
        self, busy: list[Desk], again: deque[Work]
    ) -> Iterator[tuple[HandedIn, SubmissionVerdict]]:
        """What the busy ones have finished, after at most a second."""
        ready = wait([desk.pipe for desk in busy], timeout=1)
        for desk in busy:
            if desk.pipe not in ready and not desk.late:
                continue
            work, desk.work = desk.work, None
            assert work
            found = desk.take() if desk.pipe in ready else None
            if found:
                yield work.handed, found
                continue
            self._replace(desk)
            if work.tries < MOST_TRIES:
                again.append(work)
            else:
                lost = say("judges.judge-died", count=work.tries)
                yield work.handed, SubmissionVerdict(work.handed.student, problem=lost)

    def _replace(self, desk: Desk) -> None:
        desk.end()
        self._desks[self._desks.index(desk)] = Desk(self._options)

    def end(self) -> None:
        """Send all of them home."""
        for desk in self._desks:
            desk.end()


def _next(again: deque[Work], submissions: Iterator[HandedIn]) -> Work | None:
    if again:
        return again.popleft()
    handed = next(submissions, None)
    return Work(handed) if handed else None


def serve(pipe: "Connection[Any, Any]", options: Options) -> None:
    """What a judge does: get ready, then a submission after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gives out the work
    os.environ["OMP_NUM_THREADS"] = "1"
    from kata.grading.judges.judge_submission import judge_for

    try:
        judge = judge_for(options)
    except HostError as error:  # no submission is to blame
        pipe.send(str(error))
        return
    with suppress(EOFError, OSError):
        while True:
            pipe.send(submission_to_dict(judge.grade(pipe.recv())))
