"""Model proofs are worth as much in the sandbox as without it, and the same in every run."""

import filecmp
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.grading.proof_judge import ProofJudge
from kata.marks import Outcome
from kata.proofs.judge import judge as judge_here
from kata.proofs.proof import proof_at
from tests.system.test_one_law import HONEST, count_the_same
from tests.system.test_proofs import (
    ATTACKS,
    EX05,
    MODELS,
    grade,
    hand_in,
    judge,  # noqa: F401  # a fixture
)


@pytest.mark.parametrize("slug", exercises())
def test_a_model_proof_is_worth_as_much_as_without_a_sandbox(
    judge: ProofJudge,  # noqa: F811
    slug: str,
) -> None:
    found = judge.judge(slug, (MODELS / f"{slug}.py").read_bytes())

    assert [(each.name, each.outcome, each.error) for each in found.tests
            if each.outcome is not Outcome.COUNTS] == []  # fmt: skip
    assert (found.share, found.missed, found.problem) == (1.0, (), "")
    here = judge_here(proof_at(exercises()[slug], MODELS / f"{slug}.py"), level=1)
    caught = {each.name: {*each.catches} for each in found.tests}
    # One that writes into its argument and returns it is caught more often: elsewhere, its result
    # is the argument itself, in every call.
    assert [each.name for each in here.tests if not caught[each.name] >= each.catches] == []
    more = {bug for each in here.tests for bug in caught[each.name] - each.catches}
    assert more <= {"x-overwritten"}


@pytest.mark.parametrize("slug", [each.stem for each in HONEST.glob("*.py")])
def test_all_honest_tests_count_the_same(slug: str, tmp_path: Path) -> None:
    count_the_same(slug, tmp_path)


def test_the_same_class_gives_the_same_bytes(tmp_path: Path) -> None:
    hand_in(tmp_path / "class" / "ann", (MODELS / EX05.filename).read_text())
    hand_in(tmp_path / "class" / "ben", (ATTACKS / "reads_the_source.py").read_text())
    folders = [tmp_path / name / "grades" for name in ("one", "two")]
    for folder in folders:
        folder.parent.mkdir()
        grade(tmp_path / "class", folder)

    for name in ("grades.csv", "results.json"):
        assert filecmp.cmp(*(folder / name for folder in folders), shallow=False), name
