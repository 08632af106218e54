"""A machine that has twenty other things to do gives the same verdicts as a quiet one."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT, exercises
from tests.helpers.learner_folder import FOLDER, Learner

OTHERS = 20
SLOW_TO_START = "ex15_encoder", "checkpointed"  # a right answer that imports a thousand modules


@pytest.fixture
def busy() -> Iterator[None]:
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(OTHERS)]
    yield
    for each in others:
        each.kill()
        each.wait()


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    """Everything is right, and one exercise is slow to start."""
    found = Learner(tmp_path)
    found.solve(*(each.short for each in exercises().values()))
    slug, name = SLOW_TO_START
    found.write(slug, (exercises()[slug].accepted / f"{name}.py").read_bytes())
    return found


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("busy")
def test_every_suite_beside_twenty_busy_processes(learner: Learner) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", FOLDER],
        cwd=learner.home,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert run.returncode == 0, run.stdout
    assert re.findall("out of time|not run", run.stdout) == []


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("busy")
def test_the_grader_beside_twenty_busy_processes(learner: Learner) -> None:
    learner.folder.rename(learner.home / "ada")

    run = subprocess.run(
        [sys.executable, str(ROOT / "grader.py"), ".", "--grades", "grades"],
        cwd=learner.home,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    points = sum(exercise.points for exercise in exercises().values())
    assert f"{points} / {points}" in run.stdout, run.stdout + run.stderr
