"""What is written down of known wrong answers is what they do, down to the first evidence.

Other tests rely on it: they do not judge again what is recorded to hold. One in twenty is judged
here, and all of them before a release, in tests/long.
"""

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.diagnosis.records import digest, file_of
from kata.upkeep.recording import records_are_true

ONE_IN = 20


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_records_are_true(exercise: Exercise) -> None:
    assert digest(exercise) in file_of(exercise).read_text(encoding="utf-8")
    assert list(records_are_true(exercise, bugs(exercise)[::ONE_IN])) == []
