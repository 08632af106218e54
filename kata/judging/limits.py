"""The limits of time and output that hold wherever a learner's work is judged."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TIME_LIMIT = 10  # seconds of computing a claim; the slowest takes a thousandth of it
LONGEST_OUTPUT = 500  # characters of the learner's own prints in a message
HAS_CLOCK = hasattr(signal, "setitimer")  # for CPU time, which Windows lacks
PATIENCE = 6 if HAS_CLOCK else 1  # times the limit, for what waits instead of computing


class OutOfTimeError(BaseException):
    """A claim has computed for too long. A BaseException, so that `except Exception` lets it by."""


@contextmanager
def computing(seconds: float) -> Iterator[None]:
    """Stop what runs here after so many seconds of CPU time.

    On a busy machine every claim takes longer, but computes no more.
    """
    with _within(seconds, "PROF", "PROF", overtime(seconds, computing=True)):
        yield


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    """Stop what waits, as `time.sleep` does: it computes nothing, so its CPU time never ends."""
    with _within(seconds, "ALRM", "REAL", overtime(seconds)):
        yield


def overtime(seconds: float, *, computing: bool = False) -> str:
    """Return the evidence against code that was stopped after so many seconds."""
    clock = " of computing" if computing else ""
    return f"stopped after {seconds:.0f} seconds{clock}: is there a loop that does not end?"


def can_stop() -> bool:
    """Tell if a loop that does not end is stopped here."""
    return HAS_CLOCK and threading.current_thread() is threading.main_thread()


@contextmanager
def _within(seconds: float, name: str, clock: str, text: str) -> Iterator[None]:
    """Raise when the time is over, and again every second: a bare `except` may swallow it."""
    if not can_stop():
        yield
        return

    def stop(*_: object) -> None:
        raise OutOfTimeError(text)

    rung, timer = getattr(signal, f"SIG{name}"), getattr(signal, f"ITIMER_{clock}")
    before = signal.signal(rung, stop)
    signal.setitimer(timer, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(rung, before)
