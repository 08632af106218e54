"""A process that reads submissions within limits of time and memory: both of its ends.

A reader is made for one task, a function that the process imports by its name: `submissions` has
the work of a student read, `students` the zip of a class counted and unpacked. The process is a
fresh Python without site-packages, so a task may import no package, torch least of all. It serves a
whole class, and is replaced only if it has died or is late. If it dies for no apparent reason, the
grader or the machine is to blame, and it is asked again.
"""

import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import IO, Any

from kata.course.curriculum import CODE
from kata.errors import HostError
from kata.interpreter import beside_the_code
from kata.text import clean

if sys.platform != "win32":
    import resource

# `-m` would make a second module of this one, with errors of its own that nobody catches.
CHILD = "from kata.grading.collecting.reader import main; main()"
MEMORY = 1 << 30  # bytes
NEEDS_TOO_MUCH_MEMORY = f"it needs more than {MEMORY >> 20} MiB of memory to be read"
SECONDS = 20  # of computing, for the work of one student
PATIENCE = 120  # seconds for it in all: a machine may be busy, and a disk slow
WARMING = 60  # seconds for the process to start
TRIES = 3
BROKEN = (OSError, EOFError, pickle.UnpicklingError)  # what a pipe raises whose process has died
Task = Callable[[Any], object]  # a public function of a module; its errors are `UnreadError`


class UnreadError(Exception):
    """The work cannot be read; the text says why."""


class Reader:
    """A process that reads work, and the next one if it dies."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._process: subprocess.Popen[bytes] | None = None
        self._waits, self._late = False, 0
        with suppress(OSError):  # tried again when it is needed
            self._start()

    def ask(self, work: object) -> Any:
        """Return what the task makes of this work; raise UnreadError if it makes nothing of it."""
        for _ in range(TRIES):
            self._wait_until_ready()
            with suppress(*BROKEN):
                return checked(self._answer(work))
            if reason := self.close():
                raise UnreadError(reason)
        text = f"the grader's process that reads submissions was ended {TRIES} times"
        raise UnreadError(f"{text} while reading it")

    def close(self) -> str:
        """End the process; return what the student's work did to it, if that is clear."""
        if not self._process:
            return ""
        self._process.kill()
        used_up = self._process.wait() == -getattr(signal, "SIGXCPU", 0)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # work that was not sent
                pipe and pipe.close()
        self._process = None
        late = SECONDS if used_up else self._late
        return f"it could not be read in {late} s" if late else ""

    def _start(self) -> None:
        self._waits, self._late = False, 0
        self._process = subprocess.Popen(
            # No site: it needs no packages.
            [sys.executable, "-S", "-c", CHILD, self._task.__module__, self._task.__name__,
             str(SECONDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=CODE,  # so that it imports this kata
            env=beside_the_code(),
            start_new_session=True,  # Ctrl-C is for the process that asks
        )  # fmt: skip

    def _wait_until_ready(self) -> None:
        """Have a process that waits for work; no student is to blame if there is none."""
        reason = ""
        for pause in range(TRIES):
            try:
                if self._process is None or self._process.poll() is not None:
                    self.close()
                    self._start()
                if not self._waits:
                    with self._pipes_for(WARMING) as (_, answers):
                        self._waits = pickle.load(answers)
            except BROKEN as error:
                reason = str(error) or type(error).__name__
                self.close()
                time.sleep(pause)  # the machine may have had too many processes
            else:
                return
        raise HostError(clean(f"the process that reads submissions does not start: {reason}"))

    def _answer(self, work: object) -> tuple[bool, Any]:
        with self._pipes_for(PATIENCE) as (questions, answers):
            pickle.dump(work, questions)
            questions.flush()
            result: tuple[bool, Any] = pickle.load(answers)
            return result

    @contextmanager
    def _pipes_for(self, seconds: int) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        process = self._process
        assert process
        assert process.stdin
        assert process.stdout

        def give_up() -> None:
            self._late = seconds
            process.kill()

        timer = Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            yield process.stdin, process.stdout
        finally:
            timer.cancel()


def checked(answer: tuple[bool, Any]) -> Any:
    """Return what the task has returned; raise an UnreadError with the reason if it failed."""
    done, value = answer
    if not done:
        raise UnreadError(value)
    return value


# -- the end that reads


def main() -> None:
    """Do a task with one work after the other, until nobody asks any more."""
    module, name, seconds = sys.argv[1:]
    task = getattr(import_module(module), name)
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    if sys.platform != "win32":
        _lower(resource.RLIMIT_AS, MEMORY)
        _lower(resource.RLIMIT_CORE, 0)
    result: object = True  # it is ready
    while True:
        pickle.dump(result, answers)
        answers.flush()
        try:
            work = pickle.load(questions)
        except EOFError:
            return
        _allow(int(seconds))
        result = answer(task, work)


def answer(task: Task, work: Any) -> tuple[bool, object]:
    """Return True and what the task returns, or False and why it failed."""
    try:
        return True, task(work)
    except MemoryError:
        return False, NEEDS_TOO_MUCH_MEMORY
    except UnreadError as error:
        return False, str(error)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"
        return False, f"the grader itself crashed while reading it: {place}"


def _allow(seconds: int) -> None:
    """Let the system end this process when it has computed for so many seconds from now on."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds)


def _lower(kind: int, limit: int) -> None:
    """Set a limit that can be raised again, but not above the one that holds already."""
    most = resource.getrlimit(kind)[1]
    allowed = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(kind, (allowed, most))
