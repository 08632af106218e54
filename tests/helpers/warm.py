"""Forks of one process that has imported what they share: many runs, one start.

A run of a program is a real process with a command line, an environment, a folder and output of its
own. What a start of Python itself does is left out: tests of that start one anew, see
`is_about_starting`. A judge of a learner's folder is lent from there, too.
"""

import atexit
import multiprocessing
import os
import runpy
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from kata.course.curriculum import ROOT

ENCODING = "PYTHONIOENCODING"  # of the streams, which are opened here
READ_AT_START = "PYTHON"  # settings with such names have no effect later
HARMLESS = {"PYTHONPATH": str(ROOT)}
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
    told = {name for name in settings if name.startswith(READ_AT_START) and name != ENCODING}
    harmless = {name for name in told if HARMLESS.get(name) == settings[name]}
    return not hasattr(os, "fork") or told != harmless


@cache
def forks() -> Any:
    """How forks of the warm process are started; it starts with the first one."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.helpers.preloaded"])
    forkserver.ensure_running()  # here, where no signal is blocked
    return context


def lent_judges(**_: bool) -> Any:
    """Replace `kata.learner.waiting_judge.context`: a judge is a fork of the warm process."""
    return forks()


def run(program: Program, patience: float) -> Ended:
    """Run it to its end, without starting Python anew."""
    with TemporaryDirectory() as home:
        streams = [str(Path(home, name)) for name in STREAMS]
        Path(streams[0]).write_text(program.keys, encoding="utf-8")
        process = forks().Process(target=_become, args=(program, streams))
        process.start()
        process.join(patience)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"{program.module} {program.arguments} has not ended")
        return Ended(process.exitcode, *map(_written, streams[1:]))


def _written(path: str) -> str:
    return Path(path).read_bytes().decode("utf-8").replace("\r\n", "\n")


def _become(program: Program, streams: Sequence[str]) -> NoReturn:
    """Be the program that was ordered, and end as Python does."""
    preloaded = sys.modules["tests.helpers.preloaded"]
    _open_streams(streams, program.environment.get(ENCODING, "utf-8"))
    os.environ.clear()
    os.environ.update(program.environment)
    os.chdir(program.folder)
    sys.path[:] = [str(program.folder), *preloaded.PATH[1:]]  # as `python -m` does
    sys.argv = [program.module, *program.arguments]
    status = _status_of(program.module)
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


def _open_streams(paths: Sequence[str], encoding: str) -> None:
    """Three files in place of the streams of the warm process."""
    encoding, _, errors = encoding.partition(":")
    flags = os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_APPEND] * 2
    for number, (path, flag) in enumerate(zip(paths, flags, strict=True)):
        os.dup2(os.open(path, flag, 0o600), number)
    streams = {
        "stdin": os.fdopen(0, "r", encoding="utf-8", closefd=False),
        "stdout": os.fdopen(1, "w", encoding=encoding, errors=errors or None, closefd=False),
        "stderr": os.fdopen(2, "w", encoding=encoding, errors="backslashreplace", closefd=False),
    }
    for name, stream in streams.items():
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
