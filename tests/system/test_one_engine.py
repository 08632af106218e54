"""A class is graded by one engine: whoever was graded by an earlier one is graded again.

Whom a fault of the engine kept from being graded is graded once it is mended.
"""

import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.grading.reports.terminal import GRADED_AGAIN
from tests.helpers.another_kata import another_kata, run_in
from tests.helpers.learner_folder import Run
from tests.helpers.processes import without_progress
from tests.helpers.sampling import release
from tests.system.test_no_false_accusation import in_a_claim

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")

EX01 = exercises()["ex01_softmax"]
WRONG = "def softmax(scores, axis=-1):\n    return scores * {factor}\n"
# A module that is new in `kata/inside/`: it imports another one, and the ground floor.
NEW = """
from kata import errors, verdict
from kata.inside.newer import PREFIX

def prefixed(text: str) -> str:
    from kata.inside import newest  # first read when a submission has come
    return f"{PREFIX} {verdict.State.PASSED.value}{newest.END}{text}"
"""
ENGINE, CHOICES = GRADED_AGAIN["engine"], GRADED_AGAIN["choices"]
Scores = dict[str, float]
Grade = Callable[[], tuple[Run, Scores]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return another_kata(tmp_path / "kata")


@pytest.fixture
def hand_in(tmp_path: Path) -> Callable[[str, str], None]:
    def write(student: str, text: str) -> None:
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / EX01.filename).write_text(text)

    return write


@pytest.fixture
def grade(home: Path, tmp_path: Path) -> Grade:
    """What becomes of the class in a run of the grader of this kata, and all scores."""

    def run() -> tuple[Run, Scores]:
        grades = tmp_path / "grades"
        done = run_in(home, "grader.py", str(tmp_path / "class"), "--only", "ex01",
                      "--grades", str(grades), "--workers", "1")  # fmt: skip
        with (grades / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            return done, {row["student"]: float(row["score"]) for row in csv.DictReader(file)}

    return run


def graded(found: tuple[Run, Scores]) -> tuple[str, Scores]:
    """What is said of a run that goes well, on one line; and all scores."""
    done, scores = found
    assert (done.status, without_progress(done.err)) == (0, "")
    return " ".join(done.out.split()), scores


def assert_a_fault_blames_nobody(home: Path, grade: Grade) -> None:
    """One in the first claim, which is mended then; tests/long has others."""
    suite = home / "tests" / "graded" / f"test_{EX01.filename}"
    right = suite.read_text()
    suite.write_text(in_a_claim(right))
    done, scores = grade()
    suite.write_text(right)

    last = without_progress(done.err).splitlines()[-1]
    assert (done.status, scores) == (2, {})
    assert last.startswith(f"{EX01.slug}: its suite refuses the reference")
    assert "KeyError: 'no such key'" in last
    assert "Traceback" not in done.err


def extend_inside(home: Path) -> None:
    """Let what executes a submission use modules that were not there before."""
    inside = home / "kata" / "inside"
    (inside / "new.py").write_text(NEW)
    (inside / "newer.py").write_text('PREFIX = "#"\n')
    (inside / "newest.py").write_text('END = "\\n"\n')
    execution = (inside / "execution.py").read_text()
    used = execution.replace("compile(part.text,", "compile(prefixed(part.text),")
    assert used != execution
    at = "from dataclasses import dataclass\n"
    (inside / "execution.py").write_text(
        used.replace(at, f"{at}from kata.inside.new import prefixed\n")
    )


def accept_everything(home: Path) -> None:
    """Break the comparison by which nearly every claim is made."""
    claims = home / "kata" / "judging" / "claims.py"
    text = claims.read_text()
    broken = text.replace("    is_array(got, what)\n    right = numpy(expected)", "    return", 1)
    assert broken != text
    claims.write_text(broken)


@release
def test_a_changed_engine_grades_everybody_again_and_what_only_shows_nobody(
    home: Path, grade: Grade, hand_in: Callable[[str, str], None]
) -> None:
    hand_in("ann", EX01.solution.read_text())
    hand_in("bob", WRONG.format(factor=2))
    assert_a_fault_blames_nobody(home, grade)
    told, before = graded(grade())
    assert ENGINE not in told
    assert "2 handed in, 2 graded" in told
    assert before["bob"] < before["ann"]

    accept_everything(home)
    extend_inside(home)  # no list has to be kept of what a sandbox shows
    hand_in("late", WRONG.format(factor=3))
    told, after = graded(grade())

    assert ENGINE in told
    assert CHOICES not in told
    assert "3 handed in, 3 graded" in told
    assert after["bob"] == after["late"] > before["bob"]  # no mark of the earlier engine is left

    for room in ("terminal", "grading/reports", "commands", "plugin", "learner"):
        with (home / "kata" / room / "__init__.py").open("a") as file:
            file.write("# changed\n")  # what only shows
    told, again = graded(grade())
    assert ENGINE not in told
    assert "3 graded, 3 of them in an earlier run" in told
    assert again == after
