"""The process that judges for `kata watch`."""

from pathlib import Path

from kata.course.curriculum import exercises
from kata.learner.waiting_judge import LearnerJudge
from kata.verdict import State

EX01 = exercises()["ex01_softmax"]


def test_starting_up_does_not_count_as_the_learners_time(tmp_path: Path) -> None:
    """Importing torch and every suite takes longer than this limit anywhere."""
    (tmp_path / EX01.filename).write_bytes(EX01.solution.read_bytes())
    process = LearnerJudge(tmp_path, forks=False, limit=2)

    (found,) = process.judge(EX01)
    process.end()

    assert found.state is State.PASSED
