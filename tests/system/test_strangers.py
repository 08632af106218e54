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
from tests.helpers.answers import suspects
from tests.helpers.sampling import sample

STRANGERS = ROOT / "tests" / "specimens" / "strangers"
HALVES = ("seen", "kept")
JUDGEMENTS = ("right", "near", "misleading", "silent")


@cache
def answers(half: str) -> list[dict[str, Any]]:
    table = (STRANGERS / half / "outcomes.toml").read_text(encoding="utf-8")
    return tomllib.loads(table)["answer"]


def every() -> list[Any]:
    found = {f"{half}/{each['file']}": (half, each) for half in HALVES for each in answers(half)}
    return [pytest.param(*found[name], id=name) for name in sample([*found], one_in=12)]


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


@pytest.mark.parametrize("half", HALVES)
def test_every_answer_of_a_half_is_listed(half: str) -> None:
    files = {str(path.relative_to(STRANGERS / half)) for path in STRANGERS.glob(f"{half}/*/*.py")}

    assert len(files) >= 150
    assert {each["file"] for each in answers(half)} == files


def judged() -> Counter[str]:
    return Counter(each["judged"] for each in answers("kept"))


def test_all_names_in_the_kept_half_are_judged() -> None:
    assert set(judged()) <= set(JUDGEMENTS)
    assert all((each["judged"] == "silent") == (not each["named"]) for each in answers("kept"))


def test_most_of_the_kept_half_are_named_and_few_of_them_wrongly() -> None:
    assert judged()["right"] + judged()["near"] >= 0.92 * judged().total()
    assert judged()["misleading"] <= 0.01 * judged().total()


def test_where_nothing_is_named_the_evidence_is_enough() -> None:
    assert all(each["enough"] for each in answers("kept") if each["judged"] == "silent")


RIGHT = sample(sorted(STRANGERS.glob("right/*/*.py")), one_in=6)


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_strangers_right_answer_passes(path: Any) -> None:
    exercise = exercises()[path.parent.name]

    assert observe(exercise, target_of(exercise, read(path).text)).first == ""


def test_the_readme_has_the_figures() -> None:
    told = (ROOT / "README.md").read_text(encoding="utf-8")
    figures = ", ".join(str(judged()[each]) for each in JUDGEMENTS)

    assert f"| {figures} of {judged().total()} |" in told
