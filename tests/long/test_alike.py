"""The grader judges all that the project knows as one's own process does, claim by claim."""

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.upkeep.graded_alike import PARITY_GATES, graded

# Wrong answers that a worker's process judges otherwise in some claims, though never as right: a
# module that remembers a call, memory that was never written, a view of a tensor that came through
# a pipe and is contiguous there, and a call whose outputs get no gradient.
DIFFERENT = {
    "ex22": {"cache-of-the-last-call", "one-network-for-all-blocks"},
    "ex26": {"cache-ignored", "cache-viewed", "state-in-the-module"},
    "ex28": {"parts-shared-by-layers"},
}


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_every_answer_is_graded_alike(exercise: Exercise) -> None:
    complaints = [each for gate in PARITY_GATES for each in gate(exercise)]
    known = tuple(f"{slug}{end}" for slug in DIFFERENT.get(exercise.short, ()) for end in ": ")

    assert [each for each in complaints if not each.startswith(known)] == []
    for bug in bugs(exercise):
        if bug.slug in DIFFERENT.get(exercise.short, ()):
            assert graded(exercise, wrong_answer(exercise, bug)).first, bug.slug
