"""A process that waits, judges one exercise of a learner's folder, and exits.

It is started before it is needed. Where processes can be forked safely, it is a fork of a server
that has imported torch and the suites (`preload`) and has no threads; elsewhere it imports them
while it waits.
"""

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise
from kata.interpreter import guard_children
from kata.judging.limits import HAS_CLOCK, LONGEST_OUTPUT, PATIENCE, TIME_LIMIT, overtime
from kata.learner.progress import Progress, learner
from kata.verdict import (
    ClaimVerdict,
    ExerciseVerdict,
    Message,
    State,
    exercise_from_dict,
)

LONGEST_FOLDER = 70  # of temporary files, if the server's socket lies there: its path has a limit


def can_fork(temporary: str) -> bool:
    """Whether processes can be forked with this folder of temporary files.

    macOS has libraries that do not survive a fork.
    """
    return sys.platform == "linux" and len(os.fsencode(temporary)) <= LONGEST_FOLDER


FORKS = can_fork(tempfile.gettempdir())


@cache
def context(*, forks: bool = FORKS) -> Any:
    """How processes are started on this system."""
    guard_children()
    if not forks:
        return multiprocessing.get_context("spawn")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads is no good parent
    fork_server_context = multiprocessing.get_context("forkserver")
    fork_server_context.set_forkserver_preload(["kata.learner.preload"])
    return fork_server_context


class LearnerJudge:
    """One waiting process; what the learner's code prints goes into a file.

    Args:
        folder: the learner's.
        forks: whether it is a fork.
        limit: seconds of computing a claim; none without it.
        warm: whether it imports everything ahead of time.
        goes_on: whether it judges the other claims after one has computed for too long.
        home: where its file is made.
    """

    def __init__(
        self,
        folder: Path,
        *,
        forks: bool = FORKS,
        limit: float | None = TIME_LIMIT,
        warm: bool = True,
        goes_on: bool = False,
        home: Path | None = None,
    ) -> None:
        self._limit = limit
        handle, name = tempfile.mkstemp(prefix="kata-", dir=home)
        os.close(handle)
        self._printed = Path(name)
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = context(forks=forks).Process(
            target=_serve, args=(theirs, folder, self._printed, limit, warm, goes_on), daemon=True
        )
        with _undisturbed():
            self._process.start()
        theirs.close()

    def judge(self, exercise: Exercise) -> Iterator[ExerciseVerdict]:
        """The verdict, then the same with its diagnosis; timeouts and crashes are verdicts too."""
        begun, limit = "", None  # the time limit is for claims, not for starting up
        try:
            self._pipe.send(exercise.slug)
            while self._pipe.poll(limit):
                word: Any = self._pipe.recv()
                if word is None:
                    return
                if isinstance(word, dict):
                    yield exercise_from_dict(word)
                    limit = None  # the time for the diagnosis does not count against the learner
                else:
                    begun, limit = word, self._limit and self._limit * PATIENCE
            assert limit is not None  # else `poll` waits for ever
            yield self._late(exercise, begun, overtime(limit))
        except (EOFError, OSError):
            self._process.join(1)
            yield self._died(exercise, begun)

    def _died(self, exercise: Exercise, begun: str) -> ExerciseVerdict:
        code = self._process.exitcode
        if HAS_CLOCK and self._limit and code == -signal.SIGPROF:
            return self._late(exercise, begun, overtime(self._limit, computing=True))
        text = f"the process that judged {exercise.slug} exited with status {code}"
        return self._stopped(exercise, State.ERROR, Message(text))

    def _late(self, exercise: Exercise, begun: str, evidence: str) -> ExerciseVerdict:
        return self._stopped(exercise, State.TIMED_OUT, Message(begun, evidence=evidence))

    def _stopped(self, exercise: Exercise, state: State, message: Message) -> ExerciseVerdict:
        claims = (ClaimVerdict("stopped", state, message),)
        return ExerciseVerdict(exercise.slug, claims, not_run=1, printed=self._last_prints())

    def _last_prints(self) -> str:
        with suppress(OSError), self._printed.open("rb") as file:
            file.seek(max(0, self._printed.stat().st_size - LONGEST_OUTPUT))
            return file.read(LONGEST_OUTPUT).decode("utf-8", "replace")
        return ""

    def end(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._printed.unlink(missing_ok=True)


def _serve(*arguments: Any) -> None:
    # Only the process that judges needs numpy.
    from kata.learner.judge_process import serve

    serve(*arguments)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """What is started here is not interrupted by Ctrl-C, which is for the one who waits for it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # later it would allow the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class WaitingJudges:
    """Processes that wait for work: one if it is a fork, two if each takes a second to start."""

    def __init__(self, folder: Path, *, forks: bool = FORKS, limit: float = TIME_LIMIT) -> None:
        self._folder, self._forks, self._limit = folder, forks, limit
        self._size = 1 if forks else 2
        self._ready: deque[LearnerJudge] = deque()
        self._home: Path | None = None

    def take(self) -> LearnerJudge:
        """The process that has waited longest."""
        return self._ready.popleft() if self._ready else self._make()

    def fill(self) -> None:
        """Start processes until enough are waiting; the first one waits for the imports."""
        while len(self._ready) < self._size:
            self._ready.append(self._make())

    def end(self) -> None:
        """Terminate all processes."""
        while self._ready:
            self._ready.pop().end()
        if self._home:
            shutil.rmtree(self._home, ignore_errors=True)

    def _make(self) -> LearnerJudge:
        self._home = self._home or Path(tempfile.mkdtemp(prefix="kata-"))
        return LearnerJudge(self._folder, forks=self._forks, limit=self._limit, home=self._home)


def judged(folder: Path, exercise: Exercise) -> ExerciseVerdict:
    """The saved verdict on this content, or a new one, which is saved."""
    memory = Progress(folder)
    verdict = memory.verdict(exercise.slug, learner(folder, memory).digest(exercise.slug))
    return judged_now(folder, exercise) if verdict is None or verdict.not_run else verdict


def judged_now(
    folder: Path,
    exercise: Exercise,
    *,
    forks: bool = False,
    limit: float | None = TIME_LIMIT,
    goes_on: bool = False,
) -> ExerciseVerdict:
    """A verdict from a separate process, which is saved; `LearnerJudge` says what the rest is."""
    digest = learner(folder, Progress(folder)).digest(exercise.slug)
    judge = LearnerJudge(
        folder.absolute(), forks=forks, limit=limit, warm=forks, goes_on=goes_on
    )  # for one exercise
    try:
        *_, verdict = judge.judge(exercise)
    finally:
        judge.end()
    remember(folder, verdict, digest)
    return verdict


def remember(folder: Path, verdict: ExerciseVerdict, digest: str) -> str:
    """Save the verdict on this content, if it could be read; tell the room that was joined.

    Returns a line for the learner if that room has ended, else nothing.
    """
    memory = Progress(folder)
    if digest:
        memory.note(verdict, digest)
        memory.save()
    return memory.tell([verdict])
