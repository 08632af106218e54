"""Long commands that run beside the tests, on as many cores as there are."""

import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor

from kata.curriculum import ROOT, exercises

Done = subprocess.CompletedProcess[str]


class Commands:
    """`python -m kata COMMAND EXERCISE`, each once, the slowest first."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(os.cpu_count())
        self._runs: dict[tuple[str, str], Future[Done]] = {}
        for exercise in sorted(exercises().values(), key=lambda each: -each.bugs.stat().st_size):
            for command in ("check", "mutants"):
                words = command, exercise.short
                self._runs[words] = self._pool.submit(_run, *words)

    def result(self, command: str, short: str) -> Done:
        """What it said, as soon as it has ended."""
        return self._runs[command, short].result()

    def end(self) -> None:
        """Wait for nobody."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _run(*words: str) -> Done:
    command = [sys.executable, "-m", "kata", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
