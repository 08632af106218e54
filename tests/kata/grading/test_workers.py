"""What an instructor chooses reaches the process of which workers are forks."""

from unittest.mock import Mock

import pytest

from kata.course.curriculum import exercises
from kata.grading import sandbox
from kata.grading.options import Options
from kata.grading.workers import WORKER, warm_process


def test_the_warm_process_is_told_limits_and_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.layers()  # which are tried in a process
    start = Mock()
    monkeypatch.setattr("subprocess.Popen", start)
    slugs = tuple(exercises())[:2]
    needed = {name for slug in slugs for name in exercises()[slug].imports}
    options = Options(slugs, dict.fromkeys(slugs, 1.0), timeout=0.75, memory=300)

    with warm_process(options).begin():
        command = start.call_args.args[0]

    _, memory, seconds, *modules = command[command.index(str(WORKER)) + 1 :]
    assert (memory, seconds) == (str(300 << 20), "5")  # six claims of patience, rounded up
    assert sorted(modules) == sorted(needed)
