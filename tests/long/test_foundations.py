"""Every solution passes on top of every accepted answer to earlier exercises."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.foundations import references_stand_on_accepted


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_references_stand_on_accepted(exercise: Exercise) -> None:
    assert list(references_stand_on_accepted(exercise)) == []
