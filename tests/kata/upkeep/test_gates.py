"""Every gate holds for every exercise; tests/long has what shows that each can fail.

What has not changed since it was recorded is not judged again; a sample of it is, if the machinery
has changed. tests/long judges everything.
"""

from collections.abc import Callable, Iterator

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.diagnosis.suspects import digest, written
from kata.upkeep import levels as traps
from kata.upkeep.faces import FACES, optional_parts_missing
from kata.upkeep.gates import GATES, OVERALL_GATES
from kata.upkeep.records import changed, engine_changed, records_are_true, relying
from tests.helpers.later import Later
from tests.helpers.left_out import LeftOut, seed

gates = Later("kata.upkeep.gates")
FAST_GATES = (*GATES, records_are_true)


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_all_gates_hold(exercise: Exercise, record_property: Callable[..., None]) -> None:
    """After any change of an exercise: `kata check ex05 --record`."""
    stale = changed(exercise)
    engine_is_other = engine_changed(exercise)
    some = gates.sample(exercise, FAST_GATES, seed()) if engine_is_other else gates.NOTHING
    again = {*stale.entries, *some.judged}
    record_property(*LeftOut(len(bugs(exercise)) - len(again), engine_is_other).as_property)

    with relying(exercise, stale.entries):
        told = gates.complaints(exercise, FAST_GATES, stale)
        of_sample = gates.complaints_of(exercise, FAST_GATES, some)

    assert {gate: each for gate, each in of_sample.items() if each} == {}
    assert {gate: each for gate, each in told.items() if each} == {}
    assert ([bug.slug for bug in stale.entries], stale.parts) == ([], frozenset())
    assert written(exercise)["of"] == digest(exercise)


def test_every_exercise_of_the_course_has_its_optional_parts() -> None:
    """A figure, a sheet's text, random inputs, a model proof, level 1: none of them may be lost."""
    assert [note for each in exercises().values() for note in optional_parts_missing(each)] == []
    for face in FACES:
        assert [each.slug for each in exercises().values() if not face.of(each).exists()] == []
    assert [each.slug for each in exercises().values() if not traps.level_1(each)] == []


@pytest.mark.parametrize("gate", OVERALL_GATES, ids=lambda gate: gate.__name__)
def test_overall_gate(gate: Callable[[], Iterator[str]]) -> None:
    assert list(gate()) == []
