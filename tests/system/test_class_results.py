"""The process that writes reports: it ends with the one that asked for them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from kata.course.curriculum import ROOT
from tests.helpers.processes import command, until

WRITER = """
import multiprocessing, os, time
from concurrent.futures import ProcessPoolExecutor
from kata.grading.class_results import _belong

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _belong) as other:
        print(other.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


def test_the_writer_of_reports_ends_with_a_grader_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "writer.py"
    script.write_text(WRITER)
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=around
    ) as grader:
        assert grader.stdout is not None
        writer = int(grader.stdout.readline())
        grader.send_signal(signal.SIGKILL)

        assert grader.stdout.read() == ""  # only ends when nobody can write any more
        until(lambda: not command(writer))
