"""A learner's own tests: judged now, and remembered between runs."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from kata.course.curriculum import Exercise
from kata.errors import UserError
from kata.learner.progress import Progress
from kata.proofs.proof import Proof, begun, proofs_of
from kata.proofs.verdict import LEVELS, ProofVerdict


def judged(proof: Proof, place: Callable[[int], str], level: int = LEVELS[-1]) -> ProofVerdict:
    """Return the verdict on a proof; raise UserError if none of its tests could be called.

    `place` says where a line of the proof is, as the subject of a sentence.
    """
    # Late, because it imports numpy and torch.
    from kata.proofs.judge import judge

    verdict = judge(proof, level)
    if verdict.error:
        where = place(verdict.line)
        raise UserError(f"{where} raises an error before any test runs: {verdict.error}")
    return verdict


def remember(folder: Path, proof: Proof, verdict: ProofVerdict) -> None:
    """Remember what a proof is worth, for the board of this folder of exercises."""
    progress = Progress(folder)
    counts = [len(verdict.caught(1)), len(verdict.of(1)), len(verdict.refuses)]
    progress.note_proof(verdict.slug, _digest(proof), counts)
    progress.save()


def standings(folder: Path) -> Iterator[tuple[Exercise, str]]:
    """Yield how each proof that is begun stood when it was last judged, in a few words."""
    progress = Progress(folder)
    for proof in sorted(begun(proofs_of(folder)), key=lambda proof: proof.exercise.slug):
        yield proof.exercise, _standing(progress.proof(proof.exercise.slug, _digest(proof)))


def _standing(counts: list[int] | None) -> str:
    if counts is None:
        return "changed since they were judged"
    caught, of, refused = counts
    if refused:
        return "refuse a right answer"
    return f"catch {caught} of {of} wrong answers of level 1"


def _digest(proof: Proof) -> str:
    return sha256(proof.source.text.encode()).hexdigest()[:16]
