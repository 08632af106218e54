"""All claims of an exercise, checked without pytest."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.course.target import reference
from kata.judging.judge import judge
from kata.verdict import State


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_reference_passes_without_pytest(exercise: Exercise) -> None:
    verdict = judge(exercise, reference())

    assert verdict.state is State.PASSED
    assert verdict.stand_ins == ()
