"""Answers by people who saw nothing but the stubs: what they are told, and whether it is true.

One half may be looked at while the diagnosis is worked on; the other half is kept apart, and
looked at only to report. If a change gives an answer another name, its code has to be read and the
name judged again.
"""

import tomllib
from collections import Counter
from functools import cache
from typing import Any

import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, exercises
from kata.course.source import read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe

STRANGERS = ROOT / "tests" / "specimens" / "strangers"
HALVES = ("seen", "kept")
JUDGEMENTS = ("right", "near", "misleading", "silent")


@cache
def answers(half: str) -> list[dict[str, Any]]:
    table = (STRANGERS / half / "outcomes.toml").read_text(encoding="utf-8")
    return tomllib.loads(table)["answer"]


def every() -> list[Any]:
    return [
        pytest.param(half, each, id=f"{half}/{each['file']}")
        for half in HALVES
        for each in answers(half)
    ]


@pytest.mark.parametrize(("half", "answer"), every())
def test_a_stranger_is_told_what_was_judged(half: str, answer: dict[str, Any]) -> None:
    slug, name = answer["file"].split("/")
    exercise, text = exercises()[slug], read(STRANGERS / half / slug / name).text

    seen = observe(exercise, target_of(exercise, text))
    found = diagnose(exercise, seen.findings, text=text)

    assert seen.first, "a wrong answer passes"
    named = [each.slug for each in found.mistakes] if found else []
    assert named == answer["named"]
    assert (str(found.fit) if found else "") == answer["fit"]


@pytest.mark.parametrize("half", HALVES)
def test_every_answer_of_a_half_is_judged(half: str) -> None:
    files = {str(path.relative_to(STRANGERS / half)) for path in STRANGERS.glob(f"{half}/*/*.py")}

    assert {each["file"] for each in answers(half)} == files
    assert {each["judged"] for each in answers(half)} <= set(JUDGEMENTS)
    assert all(each["judged"] == "silent" for each in answers(half) if not each["named"])


def test_nine_in_ten_of_the_kept_half_are_named_and_hardly_any_wrongly() -> None:
    judged = Counter(each["judged"] for each in answers("kept"))

    assert judged.total() >= 150
    assert judged["right"] + judged["near"] >= 0.92 * judged.total()
    assert judged["misleading"] <= 0.01 * judged.total()


def test_where_nothing_is_named_the_evidence_is_enough() -> None:
    silent = [each for half in HALVES for each in answers(half) if each["judged"] == "silent"]

    assert all("enough" in each for each in silent)
    assert [each["file"] for each in silent if not each["enough"]] == []


@pytest.mark.parametrize("path", sorted(STRANGERS.glob("right/*/*.py")), ids=lambda path: path.stem)
def test_a_strangers_right_answer_passes(path: Any) -> None:
    exercise = exercises()[path.parent.name]

    assert observe(exercise, target_of(exercise, read(path).text)).first == ""


def test_the_readme_has_the_figures() -> None:
    told = (ROOT / "README.md").read_text(encoding="utf-8")
    for half in HALVES:
        judged = Counter(each["judged"] for each in answers(half))
        figures = " | ".join(str(judged[each]) for each in JUDGEMENTS)

        assert f"| {judged.total()} | {figures} |" in told
