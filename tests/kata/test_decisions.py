"""docs/decisions.md says what each newer exercise decided, and quotes what makes tests blind."""

import re

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, Exercise, exercises

FIRST = 19
NEWER = [each for each in exercises().values() if int(each.short[2:]) >= FIRST]
TEXT = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\d\d) [^\n]+\n(.+?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


def rows(section: str) -> list[str]:
    return [line for line in section.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("exercise", NEWER, ids=lambda exercise: exercise.short)
def test_each_newer_exercise_has_its_decisions(exercise: Exercise) -> None:
    assert len(rows(SECTIONS[exercise.short[2:]])) >= 3


@pytest.mark.parametrize("exercise", NEWER, ids=lambda exercise: exercise.short)
def test_what_makes_tests_blind_is_in_the_catalogue(exercise: Exercise) -> None:
    quoted = re.findall(r"^- (.+)$", SECTIONS[exercise.short[2:]], re.MULTILINE)

    assert len(quoted) >= 3
    assert set(quoted) <= {bug.invisible_when for bug in bugs(exercise)}
