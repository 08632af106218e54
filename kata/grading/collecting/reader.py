"""A process that reads what was handed in, within limits of time and memory: both of its ends.

`submissions` has it read the work of a student, `students` count and unpack the zip of a class. The
process is a fresh Python without site-packages, so what it runs may import no package, torch least
of all. It serves a whole class, and is replaced only if it has died or is late. If it dies for no
known reason, the grader or the machine is to blame, and it is asked again.
"""

import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import IO, Any

from kata.course.curriculum import CODE
from kata.errors import HostError
from kata.interpreter import beside_the_code
from kata.text import clean

if sys.platform != "win32":
    import resource

CHILD = "kata.grading.collecting.reader"
MEMORY = 1 << 30  # bytes
SECONDS = 20  # of computing, for the work of one student
PATIENCE = 120  # seconds for it in all: a machine may be busy, and a disk slow
WARMING = 60  # seconds for the process to start
TRIES = 3
BROKEN = (OSError, EOFError, pickle.UnpicklingError)  # what a pipe raises whose process has died
Tasks = Mapping[str, Callable[[Any], object]]


class UnreadError(Exception):
    """The work cannot be read; the text says why."""


class Reader:
    """A process that reads work, and the next one if it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._waits, self._late = False, 0
        with suppress(OSError):  # tried again when it is needed
            self._start()

    def ask(self, task: str, about: object) -> Any:
        """The answer to one of `tasks`; raises UnreadError if there is none."""
        for _ in range(TRIES):
            self._wait_until_ready()
            with suppress(*BROKEN):
                return checked(self._answer((task, about)))
            if reason := self.close():
                raise UnreadError(reason)
        text = f"the grader's process that reads submissions was ended {TRIES} times"
        raise UnreadError(f"{text} while reading it")

    def close(self) -> str:
        """End the process; returns what the student's work did to it, if that is known."""
        if not self._process:
            return ""
        self._process.kill()
        used_up = self._process.wait() == -getattr(signal, "SIGXCPU", 0)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # a task that was not sent
                pipe and pipe.close()
        self._process = None
        late = SECONDS if used_up else self._late
        return f"it could not be read in {late} s" if late else ""

    def _start(self) -> None:
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

    def _wait_until_ready(self) -> None:
        """Have a process that waits for a task; no student is to blame if there is none."""
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

    def _answer(self, task: tuple[str, object]) -> tuple[bool, Any]:
        with self._pipes_for(PATIENCE) as (tasks, answers):
            pickle.dump(task, tasks)
            tasks.flush()
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
    """What the process has answered; an UnreadError if that is why it has nothing."""
    done, value = answer
    if not done:
        raise UnreadError(value)
    return value


# -- the end that reads


def main(seconds: int) -> None:
    """Answer one task after the other, until nobody asks any more."""
    pipes = sys.stdin.buffer, sys.stdout.buffer
    everything = tasks()
    if sys.platform != "win32":
        _lower(resource.RLIMIT_AS, MEMORY)
        _lower(resource.RLIMIT_CORE, 0)
    result: object = True  # it is ready
    while True:
        pickle.dump(result, pipes[1])
        pipes[1].flush()
        try:
            task, about = pickle.load(pipes[0])
        except EOFError:
            return
        _allow(seconds)
        result = answer(everything[task], about)


def tasks() -> Tasks:
    """What the process can be asked; these modules import this one, to ask."""
    from kata.grading.collecting.entries import class_in, unpacked
    from kata.grading.collecting.submissions import read

    return {"read": read, "count": class_in, "unpack": unpacked}


def answer(task: Callable[[Any], object], about: Any) -> tuple[bool, object]:
    """What a task gives, or why there is nothing."""
    # Not above: where Python lacks a compression, `kata doctor` looks at the limits all the same.
    from kata.grading.collecting.entries import NEEDS_TOO_MUCH_MEMORY, RefusedError

    try:
        return True, task(about)
    except MemoryError:
        return False, NEEDS_TOO_MUCH_MEMORY
    except RefusedError as error:
        return False, str(error)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"
        return False, f"the grader itself crashed while reading it: {place}"


def _allow(seconds: int) -> None:
    """So much computing from now on; then the system ends this process."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds)


def _lower(kind: int, limit: int) -> None:
    """Set a limit that can be raised again, but not above what is allowed already."""
    most = resource.getrlimit(kind)[1]
    allowed = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(kind, (allowed, most))


if __name__ == "__main__":
    main(int(sys.argv[1]))
