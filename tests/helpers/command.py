"""A command called in this process: its words, keys, environment and folder are given."""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from kata.learner import waiting_judge
from tests.helpers.warm import Ended, lent_judges

STREAMS = ("stdin", "stdout", "stderr")
HANDLED = ("SIGINT", "SIGTERM", "SIGHUP")  # what a command may handle itself; Windows lacks one


def called(
    main: Callable[[Sequence[str]], int],
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    keys: str = "",
) -> Ended:
    """Call it as a program would; what it needs judged is judged by lent processes."""
    streams = [_stream(keys), _stream(), _stream()]
    given = dict(zip(STREAMS, streams, strict=True), argv=["kata", *arguments])
    with _surroundings(folder, environment), patch.multiple(sys, **given):
        try:
            status = main(arguments)
        except SystemExit as error:  # of argparse
            status = int(error.code or 0)
    return Ended(status, *map(_written, streams[1:]))


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def _surroundings(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """The folder and the environment of the command; afterwards all is as it was before."""
    here = Path.cwd()
    handlers = _handlers()
    os.chdir(folder)
    try:
        with (
            patch.dict(os.environ, environment, clear=True),
            patch.object(waiting_judge, "context", lent_judges),
        ):
            yield
    finally:
        os.chdir(here)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _handlers() -> dict[signal.Signals, object]:
    if threading.current_thread() is not threading.main_thread():
        return {}
    numbers = [getattr(signal, name) for name in HANDLED if hasattr(signal, name)]
    return {number: signal.getsignal(number) for number in numbers}
