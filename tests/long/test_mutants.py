"""What Cosmic Ray can do to a solution, its suite notices: all mutants, on all cores."""

import re
import subprocess
import sys
from dataclasses import dataclass

from kata.course.curriculum import ROOT, Exercise, exercises
from kata.upkeep.mutants import ENOUGH, MOST_EQUIVALENT


@dataclass(frozen=True)
class Score:
    """A row of what `python -m kata mutants` says."""

    total: int
    killed: int
    equivalent: int
    alive: int


def test_mutants_die() -> None:
    """Every mutant of every exercise, judged on all cores."""
    command = [sys.executable, "-m", "kata", "mutants"]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    scores = [_score(out, each) for each in exercises().values()]
    total = sum(each.total for each in scores)
    judged = total - sum(each.equivalent for each in scores)
    killed = sum(each.killed for each in scores)

    assert judged >= 300
    assert killed >= ENOUGH * judged, out
    assert total - judged <= MOST_EQUIVALENT * total
    told = f"| {killed} of {judged} | `python -m kata mutants` |"
    assert told in (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")


def _score(out: str, exercise: Exercise) -> Score:
    row = re.search(rf"^{exercise.slug} +(\d+) +(\d+) +(\d+) +(\d+)$", out, re.MULTILINE)
    assert row, out
    return Score(*map(int, row.groups()))
