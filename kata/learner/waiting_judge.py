"""A process that waits, judges one exercise of a learner's folder, and exits.

It is started before it is needed. Where processes can be forked safely, it is a fork of a server
that has imported torch and the suites (`preload`) and has no threads; elsewhere it imports them
while it waits.
"""

import gc
import multiprocessing
import os
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.judging.at_sight import at_sight
from kata.judging.limits import LONGEST_OUTPUT, TIME_LIMIT
from kata.learner.progress import Progress, learner
from kata.verdict import (
    ClaimVerdict,
    ExerciseVerdict,
    Message,
    State,
    exercise_from_dict,
    exercise_to_dict,
)
from kata.words import say

LONGEST_FOLDER = 70  # of temporary files, if the server's socket lies there: its path has a limit
# macOS has libraries that do not survive a fork.
FORKS = sys.platform == "linux" and len(os.fsencode(tempfile.gettempdir())) <= LONGEST_FOLDER


@cache
def context(*, forks: bool = FORKS) -> Any:
    """How processes are started on this system."""
    if not forks:
        return multiprocessing.get_context("spawn")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads is no good parent
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["kata.learner.preload"])
    return found


class LearnerJudge:
    """One waiting process; what the learner's code prints goes into a file."""

    def __init__(
        self,
        folder: Path,
        *,
        forks: bool = FORKS,
        limit: float | None = TIME_LIMIT,
        warm: bool = True,
    ) -> None:
        self._limit = limit
        handle, name = tempfile.mkstemp(prefix="kata-")
        os.close(handle)
        self._printed = Path(name)
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = context(forks=forks).Process(
            target=serve, args=(theirs, folder, name, warm), daemon=True
        )
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
                    begun, limit = word, self._limit
            found = say("judging.timed-out", seconds=self._limit)
            yield _stopped(exercise, State.TIMED_OUT, Message(begun, evidence=found))
        except (EOFError, OSError):
            self._process.join(1)
            text = say("learner.watch.died", slug=exercise.slug, reason=self._process.exitcode)
            yield _stopped(exercise, State.ERROR, Message(text))

    @property
    def printed(self) -> str:
        """The beginning of what the learner's code printed."""
        with suppress(OSError), self._printed.open("rb") as file:
            return file.read(LONGEST_OUTPUT).decode("utf-8", "replace").strip()
        return ""

    def end(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._printed.unlink(missing_ok=True)


class WaitingJudges:
    """Processes that wait for work: one if it is a fork, two if each takes a second to start."""

    def __init__(self, folder: Path, *, forks: bool = FORKS, limit: float = TIME_LIMIT) -> None:
        self._make = partial(LearnerJudge, folder, forks=forks, limit=limit)
        self._size = 1 if forks else 2
        self._ready: deque[LearnerJudge] = deque()
        self.fill()

    def take(self) -> LearnerJudge:
        """The process that has waited longest."""
        return self._ready.popleft() if self._ready else self._make()

    def fill(self) -> None:
        """Start processes until enough are waiting."""
        while len(self._ready) < self._size:
            self._ready.append(self._make())

    def end(self) -> None:
        """Terminate all processes."""
        while self._ready:
            self._ready.pop().end()


def judged(folder: Path, exercise: Exercise) -> ExerciseVerdict:
    """The saved verdict on this content, or a new one from a separate process, which is saved."""
    memory = Progress(folder)
    digest = learner(folder, memory).digest(exercise.slug)
    known = memory.verdict(exercise.slug, digest)
    if known is not None and not known.not_run:
        return known
    judge = LearnerJudge(folder.absolute(), forks=False, warm=False)  # for one exercise
    try:
        *_, found = judge.judge(exercise)
    finally:
        judge.end()
    remember(folder, found, digest)
    return found


def remember(folder: Path, found: ExerciseVerdict, digest: str) -> None:
    """Save the verdict on this content, if it could be read."""
    if digest:
        memory = Progress(folder)
        memory.note(found, digest)
        memory.save()


def serve(pipe: Any, folder: Path, printed: str, warm: bool) -> None:  # crosses to a process
    """What the process does: import, wait for the name of an exercise, send the verdicts."""
    _redirect(printed)
    if warm:
        import kata.learner.preload  # noqa: F401  # no effect where it was imported before the fork

    gc.disable()  # the process exits before it would pay
    with suppress(EOFError, OSError):  # the other side is gone
        exercise = exercises()[pipe.recv()]
        for word in _words(folder, exercise):
            pipe.send(word)
        pipe.send(None)


def _redirect(printed: str) -> None:
    out = os.open(printed, os.O_WRONLY | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout = sys.stderr = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115  # until the process ends


def _words(folder: Path, exercise: Exercise) -> Iterator[str | dict[str, Any]]:
    """The sentence of each claim before it is checked; the verdict at the end."""
    target = learner(folder, Progress(folder))
    if unjudged := at_sight(exercise, target):
        yield exercise_to_dict(ExerciseVerdict(exercise.slug, (unjudged,)))
    else:
        yield from _judged(exercise, target)


def _stopped(exercise: Exercise, state: State, message: Message) -> ExerciseVerdict:
    return ExerciseVerdict(exercise.slug, (ClaimVerdict("stopped", state, message),), not_run=1)


def _judged(exercise: Exercise, target: Any) -> Iterator[str | dict[str, Any]]:
    from kata.diagnosis.diagnose import diagnose
    from kata.diagnosis.observe import find
    from kata.judging.attempt import Attempt  # with them come numpy and torch
    from kata.judging.judge import suite

    attempt, findings = Attempt(exercise, target), {}
    for claim in suite(exercise):
        yield claim.sentence
        findings[claim.id] = find(claim, attempt)
    claims = tuple(each.verdict for each in findings.values())
    verdict = ExerciseVerdict(exercise.slug, claims, target.stand_ins(exercise.slug))
    yield exercise_to_dict(verdict)
    if named := diagnose(exercise, findings, text=target.source(exercise.slug).text):
        yield exercise_to_dict(replace(verdict, diagnosis=named))
