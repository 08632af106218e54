"""What is known of answers by people who saw nothing but the stubs; tests/system diagnoses some."""

import tomllib
from collections import Counter
from typing import Any

import pytest

from kata.course.curriculum import ROOT

STRANGERS = ROOT / "tests" / "specimens" / "strangers"
HALVES = ("seen", "kept")
JUDGEMENTS = ("right", "near", "misleading", "silent")


def answers(half: str) -> list[dict[str, Any]]:
    table = (STRANGERS / half / "outcomes.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(table)["answer"])


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


def test_the_measurements_have_the_figures() -> None:
    told = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
    figures = ", ".join(str(judged()[judgement]) for judgement in JUDGEMENTS)

    assert f"| {figures} of {judged().total()} |" in told
