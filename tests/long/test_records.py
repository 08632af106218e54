"""What is written down of every known wrong answer is what it does, down to the first evidence."""

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.diagnosis.records import file_of
from kata.upkeep.recording import recorded


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_records_are_true(exercise: Exercise) -> None:
    written = file_of(exercise).read_text(encoding="utf-8").splitlines()

    assert [line for line in recorded(exercise).splitlines() if line not in written] == []
