"""The grader judges what the project knows as one's own process does, claim by claim.

In two classes, so that two processes can share the work.
"""

import pytest

from kata.curriculum import Exercise, exercises
from kata.grading.parity import PARITY_GATES

ALL = list(exercises().values())
HALF = len(ALL) // 2


def judged_alike(exercise: Exercise) -> None:
    complaints = {gate.__name__: list(gate(exercise)) for gate in PARITY_GATES}
    assert complaints == {gate.__name__: [] for gate in PARITY_GATES}


class TestTheFirstHalf:
    @pytest.mark.parametrize("exercise", ALL[:HALF], ids=lambda exercise: exercise.short)
    def test_every_answer_is_graded_alike(self, exercise: Exercise) -> None:
        judged_alike(exercise)


class TestTheSecondHalf:
    @pytest.mark.parametrize("exercise", ALL[HALF:], ids=lambda exercise: exercise.short)
    def test_every_answer_is_graded_alike(self, exercise: Exercise) -> None:
        judged_alike(exercise)
