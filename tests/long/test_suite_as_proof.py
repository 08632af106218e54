"""The claims of a suite, written as plain tests, are a proof that catches everything there is."""

from pathlib import Path
from types import ModuleType

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.course.target import SUBMISSION, Target
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.proofs.judge import judge
from kata.proofs.proof import Proof

EXERCISE = exercises()["ex05_causal_masks"]
CLAIMS = {
    claim.id.replace("[", "_on_").removesuffix("]"): claim
    for claim in suite(EXERCISE)
    if claim.device != "cuda"
}
HEAD = """\
import exercises.ex05_causal_masks
from tests.long.test_suite_as_proof import attempt, holds

ATTEMPT = attempt(exercises.ex05_causal_masks)
"""
TEST = """

def {name}():
    assert holds("{name}", ATTEMPT)
"""


class Bound(Target):
    """What a proof has imported, as a suite takes it."""

    def __init__(self, imported: ModuleType) -> None:
        super().__init__(SUBMISSION, {EXERCISE.slug: EXERCISE.solution.read_text("utf-8")})
        self._imported = imported

    def module(self, slug: str) -> ModuleType:  # noqa: ARG002  # there is no other one
        return self._imported


def attempt(imported: ModuleType) -> Attempt:
    return Attempt(EXERCISE, Bound(imported), remarks=False)


def holds(name: str, attempt: Attempt) -> bool:
    return check(CLAIMS[name], attempt).held


def test_the_claims_of_exercise_05_catch_all_three_levels() -> None:
    text = HEAD + "".join(TEST.format(name=name) for name in CLAIMS)

    found = judge(Proof.of(EXERCISE, Path("proof.py"), text))

    assert [(test.name, test.state, test.refusals) for test in found.tests if not test.counts] == []
    assert [found.survivors(level) for level in (1, 2, 3)] == [(), (), ()]
    assert len(found.caught(3)) == len(bugs(EXERCISE)) == 238
    assert found.is_done
