"""All gates hold for everything, whatever was recorded, and those that are slow, too."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.gates import GATES, SLOW_GATES


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_all_gates_hold_for_everything(exercise: Exercise) -> None:
    told = {gate.__name__: list(gate(exercise)) for gate in (*GATES, *SLOW_GATES)}

    assert {gate: each for gate, each in told.items() if each} == {}
