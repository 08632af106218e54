"""What a suite saw, and when two works look the same to it."""

import numpy as np

from kata.diagnosis.observe import Sight, same_sights
from kata.diagnosis.observe import sights as seen
from kata.inside.execution import raised
from kata.judging.attempt import LearnerError
from kata.judging.case import Call


def sights(outcome: object, after: object = 1) -> list[Sight]:
    return seen([Call("f", ("x",), (1,), (after,), outcome)])


def test_what_a_suite_sees_is_compared_by_value() -> None:
    error = LearnerError(raised(ValueError("a")), ["a frame"])

    assert same_sights(sights(np.ones(2)), sights(np.ones(2) + 1e-9))
    assert not same_sights(sights(np.ones(2)), sights(np.ones(2) + 1e-3))
    assert not same_sights(sights(np.ones(2)), sights(np.ones(2, dtype="float32")))
    assert not same_sights(sights(0.5), sights(0.5, after=2))
    assert not same_sights(sights(0.5), [])
    assert same_sights(sights(error), sights(LearnerError(raised(ValueError("a")), [])))
    assert not same_sights(sights(error), sights(LearnerError(raised(KeyError("a")), [])))
