"""The list of mutants that make no difference fits the solutions, which a gate looks after."""

import pytest

from kata.course.curriculum import exercises
from kata.upkeep import mutants
from kata.upkeep.mutants import equivalents, equivalents_are_mutants

EX01 = exercises()["ex01_softmax"]


def test_an_equivalent_that_is_no_mutant_or_has_no_reason_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = next(mutants.mutants(EX01))
    known = {(one.before, one.after): "", ("x = 1", "x = 2"): "it is not used"}
    monkeypatch.setattr(mutants, "equivalents", lambda _: known)

    assert list(equivalents_are_mutants(EX01)) == [
        f"there is no reason why {one.before!r} may become {one.after!r}",
        "no mutant changes 'x = 1' to 'x = 2'",
    ]


def test_some_exercises_have_equivalents() -> None:
    assert sum(len(equivalents(each)) for each in exercises().values()) > 20
