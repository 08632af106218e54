"""Python programs in forks of one process that has imported what they share: many runs, one start.

A run is a real process with a command line, an environment, a folder and output of its own. What a
start of Python itself does is left out: tests of that start one anew, see `is_about_starting`.
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import pytest

from kata.course.curriculum import ROOT

SHARED = (
    *("torch", "kata.judging.judge", "kata.diagnosis.diagnose", "kata.commands.parser"),
    *("kata.plugin.hooks", "kata.plugin.collection"),
    *("kata.learner.hints", "kata.learner.replay.literals"),
)
READ_AT_START = "PYTHON"  # settings with such names have no effect later
HARMLESS = {"PYTHONIOENCODING": "utf-8"}, {"PYTHONPATH": str(ROOT)}
STREAMS = ("in", "out", "err")


@dataclass(frozen=True)
class Program:
    """What is run: `python -m module arguments`, where and with what."""

    module: str
    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    keys: str = ""


@dataclass(frozen=True)
class Ended:
    """The exit status of a program, and what it wrote."""

    status: int
    out: str
    err: str


def is_about_starting(settings: Mapping[str, str]) -> bool:
    """Whether these settings of a test are for Python itself, which reads them when it starts."""
    told = ({name: value} for name, value in settings.items() if name.startswith(READ_AT_START))
    return not hasattr(os, "fork") or any(each not in HARMLESS for each in told)


def run(program: Program, patience: float) -> Ended:
    """Run it to its end, without starting Python anew."""
    with TemporaryDirectory() as home:
        Path(home, "in").write_text(program.keys, encoding="utf-8")
        order = {
            "words": [program.module, *program.arguments],
            "folder": str(program.folder),
            "environment": dict(program.environment),
            "streams": [str(Path(home, each)) for each in STREAMS],
        }
        status = _server().ask(order, patience)
        return Ended(status, *(_written(Path(home, each)) for each in STREAMS[1:]))


def _written(path: Path) -> str:
    return path.read_bytes().decode("utf-8").replace("\r\n", "\n")


class Server:
    """The process that has imported everything, seen from the tests."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-m", "tests.helpers.warm"], cwd=ROOT,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         start_new_session=True)  # fmt: skip
        atexit.register(self.end)

    def ask(self, order: Mapping[str, Any], patience: float) -> int:
        """The exit status of what was ordered."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], patience)[0]:
            self.end()
            _server.cache_clear()
            raise TimeoutError(f"{order['words']} has not ended")
        return int(self._process.stdout.readline())

    def end(self) -> None:
        """Kill it, and whatever it runs."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


@cache
def _server() -> Server:
    return Server()


def main() -> None:
    """Import what is shared; then fork for each line of orders, and answer with its exit status."""
    gc.disable()
    for name in SHARED:
        importlib.import_module(name)
    with TemporaryDirectory() as empty, contextlib.redirect_stdout(io.StringIO()):
        pytest.main([empty])  # pytest rewrites plugins while it imports them: this one, too
    gc.freeze()
    gc.enable()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _become(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(order: Mapping[str, Any]) -> NoReturn:
    """Be the program that was ordered, and end as Python does."""
    module, *arguments = order["words"]
    _open_streams(order["streams"])
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    sys.path[0] = order["folder"]  # as `python -m` does
    sys.argv = [module, *arguments]
    status = _status_of(module)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(status)  # without taking torch apart


def _status_of(module: str) -> int:
    """Run the module to its end."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
            return 1
        return error.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _open_streams(paths: Sequence[str]) -> None:
    """Three files in place of the server's own streams."""
    flags = os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_APPEND] * 2
    for number, (path, flag) in enumerate(zip(paths, flags, strict=True)):
        os.dup2(os.open(path, flag, 0o600), number)
    streams = {
        "stdin": os.fdopen(0, "r", encoding="utf-8", closefd=False),
        "stdout": os.fdopen(1, "w", encoding="utf-8", closefd=False),
        "stderr": os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False),
    }
    for name, stream in streams.items():
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    main()
