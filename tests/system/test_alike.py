"""The grader judges as one's own process does: the answers to some exercises.

tests/long judges all of them, which takes minutes.
"""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.graded_alike import every_bug_is_graded_alike, every_right_answer_is_graded_alike

RIGHT = ("ex07", "ex12")  # functions of torch, a module
WRONG = ("ex01",)  # a function of NumPy


def some(*shorts: str) -> list[Exercise]:
    return [each for each in exercises().values() if each.short in shorts]


@pytest.mark.parametrize("exercise", some(*RIGHT), ids=lambda exercise: exercise.short)
def test_every_right_answer_is_graded_alike(exercise: Exercise) -> None:
    assert list(every_right_answer_is_graded_alike(exercise)) == []


@pytest.mark.parametrize("exercise", some(*WRONG), ids=lambda exercise: exercise.short)
def test_every_wrong_answer_is_graded_alike(exercise: Exercise) -> None:
    assert list(every_bug_is_graded_alike(exercise)) == []
