"""What Cosmic Ray can do to a solution, its suite notices."""

import re
from dataclasses import dataclass

import pytest

from kata.curriculum import ROOT, Exercise, exercises
from kata.mutants import ENOUGH, MOST_EQUIVALENT, equivalents, mutants
from tests.kata.running import Commands


@dataclass(frozen=True)
class Score:
    """A row of what `python -m kata mutants` says."""

    total: int
    killed: int
    equivalent: int
    alive: int


@pytest.fixture(scope="module")
def scores(commands: Commands) -> dict[str, Score]:
    return {each.short: _score(commands, each) for each in exercises().values()}


def _score(commands: Commands, exercise: Exercise) -> Score:
    out = commands.result("mutants", exercise.short).stdout
    row = re.search(rf"^{exercise.slug} +(\d+) +(\d+) +(\d+) +(\d+)$", out, re.MULTILINE)
    assert row, out
    return Score(*map(int, row.groups()))


def test_mutants_die(scores: dict[str, Score]) -> None:
    judged = sum(each.total - each.equivalent for each in scores.values())
    killed = sum(each.killed for each in scores.values())
    told = f"| {killed} of {judged} | `python -m kata mutants` |"

    assert judged >= 300
    assert killed >= ENOUGH * judged, scores
    assert told in (ROOT / "README.md").read_text(encoding="utf-8")


def test_few_are_equivalent(scores: dict[str, Score]) -> None:
    total = sum(each.total for each in scores.values())

    assert sum(each.equivalent for each in scores.values()) <= MOST_EQUIVALENT * total


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_the_list_of_equivalents_is_up_to_date(exercise: Exercise) -> None:
    made = {(each.before, each.after) for each in mutants(exercise)}

    assert set(equivalents(exercise)) <= made
    assert all(equivalents(exercise).values())
