"""The list of mutants that make no difference fits the solutions."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.upkeep.mutants import equivalents, mutants


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_list_of_equivalents_is_up_to_date(exercise: Exercise) -> None:
    known = equivalents(exercise)
    made = {(each.before, each.after) for each in mutants(exercise)} if known else set()

    assert set(known) <= made
    assert all(known.values())
