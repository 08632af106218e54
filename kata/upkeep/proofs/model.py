"""Whether six short tests that follow from the contract alone catch level 1 of an exercise."""

from collections.abc import Iterator
from pathlib import Path

from kata.course.curriculum import ROOT, Exercise
from kata.proofs.judge import judge
from kata.proofs.proof import Proof

MODELS = ROOT / "tests" / "proofs"
LEVEL = 1


def model_file(exercise: Exercise) -> Path:
    """Where its model proof is; an exercise may have none."""
    return MODELS / exercise.filename


def model_proof_catches_level_1(exercise: Exercise) -> Iterator[str]:
    """It refuses no right answer, and no wrong one of level 1 gets past it."""
    path = model_file(exercise)
    if not path.exists():
        return
    verdict = judge(Proof.of(exercise, path, path.read_text(encoding="utf-8")), level=LEVEL)
    for test in verdict.refuses:
        yield f"{test.name} refuses a right answer: {test.refusals} {test.remark}"
    for wrong in verdict.survivors(LEVEL):
        yield f"{wrong} gets past it"
    if not verdict.is_done:
        yield f"it is not done: {verdict.error}"
