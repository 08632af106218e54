"""Ctrl-C while other processes are started."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C is for this process: those that are started here never hear of it."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start, later on, would let the signal through
    heard: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which they inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if heard:
        raise KeyboardInterrupt
