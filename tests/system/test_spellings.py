"""The mistakes that everybody makes, in the many ways in which people write them."""

import tomllib
from typing import Any

import pytest

from kata.course.catalogue import bugs, target_of
from kata.course.curriculum import ROOT, exercises
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe
from kata.verdict import Fit
from tests.helpers.answers import spelled, suspects
from tests.helpers.sampling import sample

TABLES = sorted((ROOT / "tests" / "specimens" / "spellings").glob("*.toml"))


def spellings() -> list[Any]:
    found = {
        f"{path.stem}: {each['mistake']}, {each['how']}": (path.stem, each)
        for path in TABLES
        for each in tomllib.loads(path.read_text(encoding="utf-8"))["spelling"]
    }
    return [pytest.param(*found[name], id=name) for name in sample([*found], one_in=24)]


@pytest.mark.parametrize(("slug", "spelling"), spellings())
def test_a_mistake_is_named_however_it_is_spelled(slug: str, spelling: dict[str, Any]) -> None:
    exercise = exercises()[slug]
    text = spelled(slug, spelling["bodies"])

    seen = observe(exercise, target_of(exercise, text))
    found = diagnose(exercise, seen.findings, suspects(slug), text)

    assert found, "nothing is named"
    named = {each.slug for each in found.mistakes}
    assert set(spelling["named"]) <= {bug.slug for bug in bugs(exercise)}
    assert named & set(spelling["named"]), f"named {named}, {found.fit}"
    assert found.fit is not Fit.CRASH
    assert named <= {*spelling["named"], *spelling.get("beside", [])}, f"also named {named}"
