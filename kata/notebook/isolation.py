"""The isolation of a check from the learner's process, which stays as it is."""

import io
import linecache
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout

import numpy as np

from kata.course.target import reference
from kata.diagnosis.diagnose import no_collecting
from kata.judging.attempt import Attempt
from kata.judging.limits import HAS_CLOCK, LONGEST_OUTPUT
from kata.proofs.calls import randomness, usual_switches

PACKAGE = "kata_target_"  # the beginning of every package that an exercise is loaded into


@contextmanager
def isolation() -> Iterator[None]:
    """Judge under the circumstances of a fresh process, and restore the learner's afterwards."""
    circumstances = (no_collecting, _modules, _lines, _clocks, randomness, usual_switches)
    with ExitStack() as stack, warnings.catch_warnings():
        for circumstance in (*circumstances, _on_the_cpu):
            stack.enter_context(circumstance())
        stack.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        yield


@contextmanager
def _modules() -> Iterator[None]:
    """Unload the packages of this check, but not the reference, which is loaded once."""
    modules = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - modules:
            if name.startswith(PACKAGE) and not name.startswith(f"{reference().name}_"):
                del sys.modules[name]


@contextmanager
def _lines() -> Iterator[None]:
    """Let tracebacks show the learner's own files, and not what was assembled from cells."""
    cache = dict(linecache.cache)
    try:
        yield
    finally:
        linecache.cache.clear()
        linecache.cache.update(cache)


@contextmanager
def _clocks() -> Iterator[None]:
    """Put off alarms that the learner has set."""
    if not HAS_CLOCK:
        yield
        return
    kinds = (signal.ITIMER_REAL, signal.ITIMER_PROF)
    pairs = [(kind, signal.getitimer(kind)) for kind in kinds]
    try:
        yield
    finally:
        for kind, (seconds, interval) in pairs:
            if seconds:
                signal.setitimer(kind, seconds, interval)


@contextmanager
def _on_the_cpu() -> Iterator[None]:
    """Make tensors on the CPU by default."""
    torch = sys.modules.get("torch")
    if torch is None or torch.get_default_device().type == "cpu":
        yield
        return
    with torch.device("cpu"):
        yield


class ListeningAttempt(Attempt):
    """An attempt that remembers what the latest call has printed."""

    def listen(self) -> "Prints":
        """Begin to listen, for all claims."""
        self.prints = Prints()
        return self.prints

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code."""
        self.prints.forget()
        with super().guarded(name):
            yield


class Prints(io.TextIOBase):
    """The end of a stream, in constant memory."""

    def __init__(self) -> None:
        self.end = ""

    def write(self, text: str) -> int:
        """Add a text, and drop what is too old."""
        self.end = (self.end + text[-LONGEST_OUTPUT:])[-LONGEST_OUTPUT:]
        return len(text)

    def writable(self) -> bool:
        """Return True, as `print` expects."""
        return True

    def forget(self) -> None:
        """Drop everything."""
        self.end = ""


@contextmanager
def listening(attempt: ListeningAttempt) -> Iterator[Prints]:
    """Redirect prints from the output of the cell to the attempt."""
    prints = attempt.listen()
    with redirect_stdout(prints), redirect_stderr(prints):
        yield prints
