"""The gates that other runs of pytest leave out hold for every exercise."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.slow_gates import SLOW_GATES


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_slow_gates_hold(exercise: Exercise) -> None:
    assert {gate.__name__: list(gate(exercise)) for gate in SLOW_GATES} == {
        gate.__name__: [] for gate in SLOW_GATES
    }
