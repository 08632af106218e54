"""The model proof of every exercise is worth as much in the sandbox as without it."""

import pytest

from kata.course.curriculum import exercises
from kata.grading.proving.judge import ProofJudge
from tests.system.test_proofs import (
    judge,  # noqa: F401  # a fixture
)
from tests.system.test_proofs import (
    test_a_model_proof_is_worth_as_much_as_without_a_sandbox as worth_as_much,
)


@pytest.mark.parametrize("slug", exercises())
def test_every_model_proof_is_worth_as_much(judge: ProofJudge, slug: str) -> None:  # noqa: F811
    worth_as_much(judge, slug)
