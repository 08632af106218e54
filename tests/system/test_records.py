"""What is written down of known wrong answers is what they do, down to the first evidence.

Other tests rely on it: they do not judge again what is recorded to hold. One in twenty of some
exercises is judged here, and all of them before a release, in tests/long.
"""

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.diagnosis.suspects import digest, file_of
from kata.upkeep.records import records_are_true
from tests.helpers.sampling import sample

ALL = list(exercises().values())
ONE_IN = 20


def test_the_records_are_of_this_catalogue() -> None:
    files = {exercise: file_of(exercise).read_text(encoding="utf-8") for exercise in ALL}

    assert [exercise.short for exercise in ALL if digest(exercise) not in files[exercise]] == []


@pytest.mark.parametrize("exercise", sample(ALL, one_in=6), ids=lambda exercise: exercise.short)
def test_the_records_are_true(exercise: Exercise) -> None:
    assert list(records_are_true(exercise, bugs(exercise)[::ONE_IN])) == []
