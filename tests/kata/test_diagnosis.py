"""The diagnosis: what it names, when it is silent, and what a learner reads of it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from kata.catalogue import Bug, bugs, changed, target_of
from kata.crashes import known
from kata.curriculum import Exercise, exercises
from kata.diagnosis import diagnose
from kata.observation import Observation, observe
from kata.verdict import Diagnosis, Fit, State
from tests.kata.learner import FOLDER, Learner

REWRITTEN = Path(__file__).parent / "rewritten"
FILES = sorted(REWRITTEN.rglob("*.py"))
TABLE = tomllib.loads((REWRITTEN / "outcomes.toml").read_text(encoding="utf-8"))
EXCEPTIONS: Mapping[str, Mapping[str, object]] = {each["file"]: each for each in TABLE["exception"]}
EX01 = exercises()["ex01_softmax"]
EX05 = exercises()["ex05_causal_masks"]


def seen(exercise: Exercise, text: str) -> Observation:
    return observe(exercise, target_of(exercise, text))


def named(exercise: Exercise, text: str) -> Diagnosis | None:
    return diagnose(exercise, seen(exercise, text).findings)


def slugs(found: Diagnosis | None) -> list[str]:
    return [each.slug for each in found.mistakes] if found else []


def bug(exercise: Exercise, slug: str) -> Bug:
    return next(each for each in bugs(exercise) if each.slug == slug)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_mistake_in_another_style_is_named(path: Path) -> None:
    exercise = exercises()[path.parent.name]
    found = named(exercise, path.read_text(encoding="utf-8"))

    exception = EXCEPTIONS.get(f"{path.parent.name}/{path.name}")
    if exception:
        assert slugs(found) == exception["named"]
    else:
        assert found is not None
        assert path.stem in slugs(found)
        assert found.fit in {Fit.ONE, Fit.TWINS, Fit.PART}


def test_nine_in_ten_are_named_and_no_name_is_wrong() -> None:
    missed = [each for file, each in EXCEPTIONS.items() if Path(file).stem not in each["named"]]  # type: ignore[operator]  # TOML
    named_otherwise = [each["file"] for each in missed if each["named"]]

    assert len(FILES) >= 40
    assert len(FILES) - len(missed) >= 0.9 * len(FILES)
    assert named_otherwise == ["ex02_attention_scores/grids-remembered-by-queries.py"]  # a sibling


def test_the_solution_is_named_nothing() -> None:
    assert named(EX05, EX05.solution.read_text(encoding="utf-8")) is None


def test_two_mistakes_are_named_as_two() -> None:
    both = [bug(EX05, "causal-strict"), bug(EX05, "weights-not-renormalised")]
    found = named(EX05, changed(EX05, *both))

    assert found is not None
    assert found.fit is Fit.BOTH
    assert sorted(slugs(found)) == sorted(each.slug for each in both)
