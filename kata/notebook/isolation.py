"""The learner's process stays as it is, whatever a check does in it."""

import io
import linecache
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout

from kata.course.target import reference
from kata.judging.attempt import Attempt
from kata.judging.limits import HAS_CLOCK, LONGEST_OUTPUT
from kata.proofs.calls import randomness, usual_switches

OURS = "kata_target_"  # how the packages are named into which exercises are loaded


@contextmanager
def isolation() -> Iterator[None]:
    """Judge under the circumstances of a fresh process; then restore all that were there."""
    import numpy as np

    from kata.diagnosis.diagnose import no_collecting  # with it comes numpy

    circumstances = (no_collecting, _modules, _lines, _clocks, randomness, usual_switches)
    with ExitStack() as stack, warnings.catch_warnings():
        for circumstance in (*circumstances, _on_the_cpu):
            stack.enter_context(circumstance())
        stack.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        yield


@contextmanager
def _modules() -> Iterator[None]:
    """Forget what was loaded for this check; the reference is loaded once."""
    modules = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - modules:
            if name.startswith(OURS) and not name.startswith(f"{reference().name}_"):
                del sys.modules[name]


@contextmanager
def _lines() -> Iterator[None]:
    """Tracebacks of the learner's own files show those, not what was assembled from cells."""
    cache = dict(linecache.cache)
    try:
        yield
    finally:
        linecache.cache.clear()
        linecache.cache.update(cache)


@contextmanager
def _clocks() -> Iterator[None]:
    """Alarms of the learner's own wait meanwhile."""
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
    """Tensors are made on the CPU by default."""
    torch = sys.modules.get("torch")
    if torch is None or torch.get_default_device().type == "cpu":
        yield
        return
    with torch.device("cpu"):
        yield


class Listening(Attempt):
    """Remembers what the latest call has printed."""

    def listen(self) -> "Prints":
        """Begin to listen, to all claims alike."""
        self.prints = Prints()
        return self.prints

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code."""
        self.prints.forget()
        with super().guarded(name):
            yield


class Prints(io.TextIOBase):
    """The end of what was printed, however much it was."""

    def __init__(self) -> None:
        self.end = ""

    def write(self, text: str) -> int:
        """Keep the end."""
        self.end = (self.end + text[-LONGEST_OUTPUT:])[-LONGEST_OUTPUT:]
        return len(text)

    def writable(self) -> bool:
        """What `print` asks for."""
        return True

    def forget(self) -> None:
        """Begin anew."""
        self.end = ""


@contextmanager
def listening(attempt: Listening) -> Iterator[Prints]:
    """Keep what is printed out of the output of the cell."""
    prints = attempt.listen()
    with redirect_stdout(prints), redirect_stderr(prints):
        yield prints
