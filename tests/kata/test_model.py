"""A model for new tests: a command, a claim, a learner's run and a graded class.

A test is named by a sentence that is true, arranges what it needs, acts once, and asserts what a
person would see. What several tests share lies in `tests/helpers/`.
"""

import csv
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, target_of, wrong_answer
from kata.course.curriculum import exercises
from kata.diagnosis.observe import observe
from tests.helpers.grader import grader
from tests.helpers.learner_folder import FOLDER, Learner, run_python

EX01 = exercises()["ex01_softmax"]
RIGHT = EX01.solution.read_text(encoding="utf-8")
NO_SHIFT = "the largest score is not subtracted"
NO_SHIFT_BODY = "powers = np.exp(scores)\nreturn powers / powers.sum(axis, keepdims=True)"


def test_a_command_says_in_one_line_what_it_cannot_do(tmp_path: Path) -> None:
    """Commands are called in this process: words and a folder in, status and output out."""
    run = run_python("kata", ["show", "ex99"], tmp_path)

    assert (run.status, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert "ex99" in run.err


def test_a_claim_catches_the_mistake_that_it_was_written_for() -> None:
    """A suite is judged without pytest, on a solution with one mistake of the catalogue in it."""
    mistake = next(bug for bug in bugs(EX01) if bug.title == NO_SHIFT)

    observed = observe(EX01, target_of(EX01, wrong_answer(EX01, mistake)))

    assert observed.first == mistake.claim


def test_a_learner_reads_the_name_of_the_mistake(learner: Learner) -> None:
    """`learner.run()` is the real pytest, in a fork of a process that has imported everything."""
    learner.softmax(NO_SHIFT_BODY)

    run = learner.run()

    assert run.status == 1
    assert NO_SHIFT in run.failures
    assert f"{FOLDER}/ex01_softmax.py" in run.board


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A class is graded once, and many tests assert on what was written."""
    home = tmp_path_factory.mktemp("course")
    for student, text in {"ada": RIGHT, "ben": wrong_answer(EX01, bugs(EX01)[0])}.items():
        (home / "class" / student).mkdir(parents=True)
        (home / "class" / student / EX01.filename).write_text(text, encoding="utf-8")
    assert grader(home, "class", "--only", EX01.short).status == 0
    rows = csv.DictReader(
        (home / "grades" / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    )
    return {row["student"]: row["score"] for row in rows}


def test_a_right_answer_earns_all_points(marks: dict[str, str]) -> None:
    assert marks["ada"] == str(EX01.points)


def test_a_wrong_answer_earns_less(marks: dict[str, str]) -> None:
    assert float(marks["ben"]) < EX01.points
