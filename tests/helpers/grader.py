"""The grader in this process: real verdicts, by judges that are lent to one run after the other.

`grader` and `here` start nothing but workers, which are forks of one warm process. What belongs to
the processes of real readers and judges is tested in `collecting/test_reader.py`, and in
tests/system.
"""

import atexit
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from kata.course.curriculum import ROOT, exercises
from kata.grading import cli, journal
from kata.grading import options as fingerprint
from kata.grading import run as grading
from kata.grading.collecting import students, submissions
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options
from kata.grading.pool import Answer, JudgePool, answer
from kata.grading.workers import MIB, Launcher, WarmProcess
from kata.judging import case
from tests.helpers.handing_in import ReaderHere
from tests.helpers.learner_folder import Run
from tests.helpers.processes import without_progress

if TYPE_CHECKING:
    from kata.grading.judge import Judge

GRADER = [sys.executable, str(ROOT / "grader.py")]
PATIENCE = 600  # seconds of CPU time for a worker; judges are less patient
# Nobody edits the kata, or installs a library, while tests run.
CODE, WAY, VERSION = map(cache, (fingerprint._code, fingerprint.way, fingerprint.version))


class LentPool(JudgePool):
    """A pool of one judge, which works in this process."""

    def __init__(self, options: Options, count: int) -> None:
        super().__init__(options, 0)
        assert count > 0
        self._judges = [JudgeHere(options)]  # type: ignore[list-item]  # it answers alike
        self._free.put(self._judges[0])

    def _answers(self, submissions: Iterator[Submission]) -> Iterator[tuple[Submission, Answer]]:
        for submission in submissions:
            yield submission, self.judge(submission)


class JudgeHere:
    """What a JudgeProcess is, without a process."""

    def __init__(self, options: Options) -> None:
        self._judge = lent_judge(options)

    def ask(self, submission: Submission) -> Answer:
        """The verdict, as if both had come through a pipe."""
        found = answer(self._judge, pickle.loads(pickle.dumps(submission)))
        return pickle.loads(pickle.dumps(found))  # type: ignore[no-any-return]

    def end(self) -> None:
        """Leave no numbers of this run."""
        case.begin_run(0)


def lent_judge(options: Options) -> "Judge":
    """A judge that has perhaps worked for another run with these options."""
    from kata.grading.judge import get_ready, judge_for  # torch

    key = repr(replace(options, points={}))
    if key not in _JUDGES or options.solutions:  # whose text may have changed
        needed = {name for slug in options.slugs for name in exercises()[slug].imports}
        warm = _warm(options.memory, *sorted(needed))
        _JUDGES[key] = judge_for(options, Launcher(warm), Launcher(warm))
    get_ready(options)
    _JUDGES[key].options = options
    return _JUDGES[key]


_JUDGES: dict[str, "Judge"] = {}


@cache
def _warm(memory: int, *modules: str) -> WarmProcess:
    """One for all runs of this process that need the same."""
    warm = WarmProcess(memory * MIB, PATIENCE, modules)
    atexit.register(warm.end)
    return warm


@contextmanager
def here(pool: type = LentPool) -> Iterator[None]:
    """Let runs of the grader start no process but workers."""
    with (
        patch.object(grading, "JudgePool", pool),
        patch.object(fingerprint, "_code", CODE),
        patch.object(fingerprint, "version", VERSION),
        patch.object(journal, "way", WAY),
        patch.object(students, "Reader", ReaderHere),
        patch.object(submissions, "Reader", ReaderHere),
    ):
        yield


def grader(home: Path, *words: str, pool: type = LentPool, **settings: str) -> Run:
    """Call `grader.py WORDS` there, with these settings in the environment."""
    around = environment(**settings)
    encoding = around["PYTHONIOENCODING"]
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    err = io.TextIOWrapper(io.BytesIO(), encoding, "backslashreplace")
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, around, clear=True))
        for block in (chdir(home), redirect_stdout(out), redirect_stderr(err), here(pool)):
            stack.enter_context(block)
        status = _status(words)
    said = [_written(stream) for stream in (out, err)]
    assert "Traceback" not in "".join(said)
    return Run(status, said[0], without_progress(said[1]))


def _status(words: tuple[str, ...]) -> int:
    try:
        return cli.main([*words])
    except SystemExit as end:
        return int(str(end))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]  # bytes in memory


def program(home: Path, *words: str, **settings: str) -> Run:
    """Start `grader.py WORDS` there, with judges in processes of their own."""
    process = subprocess.run([*GRADER, *words], cwd=home, env=environment(**settings), check=False,
                             capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
                             timeout=200)  # fmt: skip
    assert "Traceback" not in process.stdout + process.stderr
    return Run(process.returncode, process.stdout, without_progress(process.stderr))


def environment(**settings: str) -> dict[str, str]:
    """What a terminal gives to a program."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    return {**kept, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", **settings}
