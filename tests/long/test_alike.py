"""The grader judges all that the project knows as one's own process does, claim by claim."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.parity import PARITY_GATES


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_every_answer_is_graded_alike(exercise: Exercise) -> None:
    assert [complaint for gate in PARITY_GATES for complaint in gate(exercise)] == []
