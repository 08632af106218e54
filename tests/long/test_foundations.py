"""Every solution, and every accepted answer, on top of accepted answers to earlier exercises."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.right_answers import accepted_against_accepted, references_stand_on_accepted

# Each is right by itself; the grader judges such an answer on the reference, too.
FAIL_TOGETHER = {("ex16/single_precision.py", "ex01/log_sum_exp.py")}


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_references_stand_on_accepted(exercise: Exercise) -> None:
    assert list(references_stand_on_accepted(exercise)) == []


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_it_is_known_which_accepted_answers_fail_on_which(exercise: Exercise) -> None:
    known = {pair for pair in FAIL_TOGETHER if pair[0].startswith(exercise.short)}

    assert set(accepted_against_accepted(exercise)) == known
