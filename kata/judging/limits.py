"""Limits that hold wherever a learner's work is judged."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kata.words import say

TIME_LIMIT = 10  # seconds of computing a claim; the slowest takes a thousandth of it
LONGEST_OUTPUT = 500  # characters of the learner's own prints that are shown
HAS_CLOCK = hasattr(signal, "setitimer")  # for CPU time, which Windows lacks
PATIENCE = 6 if HAS_CLOCK else 1  # times the limit, for what waits instead of computing


class OutOfTimeError(BaseException):
    """A claim has computed for too long. A BaseException, so that `except Exception` lets it by."""


@contextmanager
def computing(seconds: float) -> Iterator[None]:
    """Stop what runs here after so many seconds of CPU time.

    On a busy machine every claim takes longer, but computes no more. It is repeated each second,
    because a bare `except` may swallow it.
    """
    if not HAS_CLOCK or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise OutOfTimeError(say("judging.looping", seconds=seconds))

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
