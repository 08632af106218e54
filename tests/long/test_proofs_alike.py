"""Model proofs are worth as much in the sandbox as without it, and the same in every run."""

import filecmp
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.grading.proving.judge import ProofJudge
from tests.system.test_one_law import HONEST, count_the_same
from tests.system.test_proofs import (
    ATTACKS,
    EX05,
    MODELS,
    grade,
    hand_in,
    judge,  # noqa: F401  # a fixture
)
from tests.system.test_proofs import (
    test_a_model_proof_is_worth_as_much_as_without_a_sandbox as worth_as_much,
)


@pytest.mark.parametrize("slug", exercises())
def test_every_model_proof_is_worth_as_much(judge: ProofJudge, slug: str) -> None:  # noqa: F811
    worth_as_much(judge, slug)


@pytest.mark.parametrize("slug", [each.stem for each in HONEST.glob("*.py")])
def test_all_honest_tests_count_the_same(slug: str) -> None:
    count_the_same(slug)


def test_the_same_class_gives_the_same_bytes(tmp_path: Path) -> None:
    hand_in(tmp_path / "class" / "ann", (MODELS / EX05.filename).read_text())
    hand_in(tmp_path / "class" / "ben", (ATTACKS / "reads_the_source.py").read_text())
    folders = [tmp_path / name / "grades" for name in ("one", "two")]
    for folder in folders:
        folder.parent.mkdir()
        grade(tmp_path / "class", folder)

    for name in ("grades.csv", "results.json"):
        assert filecmp.cmp(*(folder / name for folder in folders), shallow=False), name
