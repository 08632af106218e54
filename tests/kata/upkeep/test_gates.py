"""Every gate holds for every exercise; tests/long has what shows that each can fail."""

from collections.abc import Callable, Iterator

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.faces import optional_parts_missing
from kata.upkeep.fuzz.gate import fuzz_file
from kata.upkeep.gates import GATES, OVERALL_GATES


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_all_gates_hold(exercise: Exercise) -> None:
    assert {gate.__name__: list(gate(exercise)) for gate in GATES} == {
        gate.__name__: [] for gate in GATES
    }


def test_every_exercise_of_the_course_has_its_optional_parts() -> None:
    """A figure, a text for its sheet, random inputs: no exercise of the course may lose one."""
    assert [note for each in exercises().values() for note in optional_parts_missing(each)] == []
    assert [each.slug for each in exercises().values() if not fuzz_file(each).exists()] == []


@pytest.mark.parametrize("gate", OVERALL_GATES, ids=lambda gate: gate.__name__)
def test_overall_gate(gate: Callable[[], Iterator[str]]) -> None:
    assert list(gate()) == []
