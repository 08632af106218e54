"""The grader judges as one's own process does: all right answers, and some of the wrong ones.

tests/long judges all of them, which takes minutes.
"""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.graded_alike import every_bug_is_graded_alike, every_right_answer_is_graded_alike

SOME = ("ex01", "ex12")  # a function of NumPy, a module


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_every_right_answer_is_graded_alike(exercise: Exercise) -> None:
    assert list(every_right_answer_is_graded_alike(exercise)) == []


@pytest.mark.parametrize("exercise", [each for each in exercises().values() if each.short in SOME],
                         ids=lambda exercise: exercise.short)  # fmt: skip
def test_every_wrong_answer_is_graded_alike(exercise: Exercise) -> None:
    assert list(every_bug_is_graded_alike(exercise)) == []
