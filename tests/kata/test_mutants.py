"""What Cosmic Ray can do to a solution, its suite notices."""

import pytest

from kata.curriculum import ROOT, Exercise, exercises
from kata.mutants import ENOUGH, MOST_EQUIVALENT, Score, equivalents, mutants, score


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(exercise) for exercise in exercises().values()]


def test_mutants_die(scores: list[Score]) -> None:
    judged = sum(each.total - each.equivalent for each in scores)
    killed = sum(each.killed for each in scores)

    assert judged >= 300
    assert killed >= ENOUGH * judged, [each.survivors for each in scores]
    assert (
        f"| {killed} of {judged} | `python -m kata mutants` |" in (ROOT / "README.md").read_text()
    )


def test_few_are_equivalent(scores: list[Score]) -> None:
    total = sum(each.total for each in scores)

    assert sum(each.equivalent for each in scores) <= MOST_EQUIVALENT * total


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_list_of_equivalents_is_up_to_date(exercise: Exercise) -> None:
    made = {(each.before, each.after) for each in mutants(exercise)}

    assert set(equivalents(exercise)) <= made
    assert all(equivalents(exercise).values())
