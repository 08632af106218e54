"""The grader judges as one's own process does: the answers to some exercises.

tests/long judges all of them, which takes minutes.
"""

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import exercise_named
from kata.upkeep import parity
from kata.upkeep.parity import every_right_answer_is_graded_alike
from kata.upkeep.wrong_answers import observe_bugs

RIGHT = "ex12"  # a module
WRONG = "ex01"  # a function of NumPy
ONE_IN = 8  # wrong answers


def test_every_right_answer_is_graded_alike() -> None:
    assert list(every_right_answer_is_graded_alike(exercise_named(RIGHT))) == []


def test_some_wrong_answers_are_graded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = exercise_named(WRONG)
    some = observe_bugs(exercise, bugs(exercise)[::ONE_IN])
    monkeypatch.setattr(parity, "observe_bugs", lambda _: some)

    assert list(parity.every_bug_is_graded_alike(exercise)) == []
