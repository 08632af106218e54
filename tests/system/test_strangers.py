"""Answers by people who saw nothing but the stubs: what they are told, and whether it is true.

One half may be looked at while the diagnosis is worked on; the other half is kept apart, and
looked at only to report. If a change gives an answer another name, its code has to be read and the
name judged again.
"""

import tomllib
from functools import cache
from typing import Any

import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, exercises
from kata.course.source import read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe
from tests.helpers.answers import suspects
from tests.helpers.sampling import sample

STRANGERS = ROOT / "tests" / "specimens" / "strangers"
HALVES = ("seen", "kept")


@cache
def answers(half: str) -> list[dict[str, Any]]:
    table = (STRANGERS / half / "outcomes.toml").read_text(encoding="utf-8")
    return tomllib.loads(table)["answer"]


def every() -> list[Any]:
    found = {f"{half}/{each['file']}": (half, each) for half in HALVES for each in answers(half)}
    return [pytest.param(*found[name], id=name) for name in sample([*found], one_in=24)]


@pytest.mark.parametrize(("half", "answer"), every())
def test_a_stranger_is_told_what_was_judged(half: str, answer: dict[str, Any]) -> None:
    slug, name = answer["file"].split("/")
    exercise, text = exercises()[slug], read(STRANGERS / half / slug / name).text

    seen = observe(exercise, target_of(exercise, text))
    found = diagnose(exercise, seen.findings, suspects(slug), text)

    assert seen.first, "a wrong answer passes"
    named = [each.slug for each in found.mistakes] if found else []
    assert named == answer["named"]
    assert (str(found.fit) if found else "") == answer["fit"]


RIGHT = sample(sorted(STRANGERS.glob("right/*/*.py")), one_in=6)


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_strangers_right_answer_passes(path: Any) -> None:
    exercise = exercises()[path.parent.name]

    assert observe(exercise, target_of(exercise, read(path).text)).first == ""
