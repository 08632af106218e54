"""A class is graded by one engine: whoever was graded by an earlier one is graded again."""

import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.words import say
from tests.helpers.another_kata import another_kata, run_in
from tests.helpers.processes import without_progress

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")

EX01 = exercises()["ex01_softmax"]
WRONG = "def softmax(scores, axis=-1):\n    return scores * {factor}\n"
ENGINE, CHOICES = say("grading.anew-engine"), say("grading.anew-choices")
Grade = Callable[[], tuple[str, dict[str, float]]]


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
    """What the grader of this kata says of the class, on one line, and all scores."""

    def run() -> tuple[str, dict[str, float]]:
        grades = tmp_path / "grades"
        done = run_in(home, "grader.py", str(tmp_path / "class"), "--only", "ex01",
                      "--grades", str(grades), "--workers", "1")  # fmt: skip
        assert (done.status, without_progress(done.err)) == (0, "")
        with (grades / "grades.csv").open(newline="") as file:
            scores = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
        return " ".join(done.out.split()), scores

    return run


def accept_everything(home: Path) -> None:
    """Break the comparison by which nearly every claim is made."""
    claims = home / "kata" / "judging" / "claims.py"
    text = claims.read_text()
    broken = text.replace("    is_array(got, what)\n    right = numpy(expected)", "    return", 1)
    assert broken != text
    claims.write_text(broken)


def test_a_changed_engine_grades_everybody_again_and_what_only_shows_nobody(
    home: Path, grade: Grade, hand_in: Callable[[str, str], None]
) -> None:
    hand_in("ann", EX01.solution.read_text())
    hand_in("bob", WRONG.format(factor=2))
    told, before = grade()
    assert ENGINE not in told
    assert before["bob"] < before["ann"]

    accept_everything(home)
    hand_in("late", WRONG.format(factor=3))
    told, after = grade()

    assert ENGINE in told
    assert CHOICES not in told
    assert "3 handed in, 3 graded" in told
    assert after["bob"] == after["late"] > before["bob"]  # no mark of the earlier engine is left

    for room in ("terminal", "grading/reports", "commands", "plugin", "learner"):
        with (home / "kata" / room / "__init__.py").open("a") as file:
            file.write("# changed\n")  # what only shows
    told, again = grade()
    assert ENGINE not in told
    assert "3 graded, 3 of them in an earlier run" in told
    assert again == after
