"""A right answer is right whatever the seed of a graded run: rounding may refuse none of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import read
from kata.diagnosis.observe import observe
from kata.judging.case import begin_run
from kata.proofs import judge as judging
from kata.proofs.proof import proof_at

SEEDS = 160  # a claim that refuses one run in fifty is found nineteen times in twenty
SEEDS_OF_OTHERS = 20  # for each answer in another style
SEEDS_OF_EX14 = 1000  # its tests once refused a right answer with one of six
PATIENCE = 3600.0  # seconds, for all runs of a test
MODELS = ROOT / "tests" / "proofs"


@pytest.fixture(autouse=True)
def _begins_as_a_learner() -> Iterator[None]:
    yield
    begin_run(0)


def first_failures(exercise: Exercise, path: Path, seeds: int) -> dict[int, str]:
    failed = {}
    for seed in range(1, seeds + 1):
        begin_run(seed)
        if first := observe(exercise, target_of(exercise, read(path).text)).first:
            failed[seed] = first
    return failed


@pytest.mark.parametrize("slug", exercises())
def test_the_reference_holds_with_every_seed(slug: str) -> None:
    exercise = exercises()[slug]

    assert first_failures(exercise, exercise.solution, SEEDS) == {}


@pytest.mark.parametrize("slug", exercises())
def test_answers_in_other_styles_hold_with_every_seed(slug: str) -> None:
    exercise = exercises()[slug]
    found = {
        path.name: first_failures(exercise, path, SEEDS_OF_OTHERS)
        for path in sorted(exercise.accepted.glob("*.py"))
    }

    assert {name: failed for name, failed in found.items() if failed} == {}


@pytest.mark.parametrize("slug", exercises())
def test_the_katas_own_tests_hold_with_every_seed(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class draws other seeds than `kata prove`, whose three said nothing of 25 in 150."""
    seeds = range(SEEDS_OF_EX14 if slug.startswith("ex14") else SEEDS_OF_OTHERS)
    monkeypatch.setattr(judging, "SEEDS", tuple(seeds))
    for limit in ("SECONDS", "IN_ALL"):
        monkeypatch.setattr(judging, limit, PATIENCE)
    found = judging.judge(proof_at(exercises()[slug], MODELS / f"{slug}.py"), level=1)

    assert [each for each in found.tests if not each.counts] == []
    assert found.mark == 1
