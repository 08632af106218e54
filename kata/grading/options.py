"""What an instructor can choose about what is judged, and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kata.grading.rubric import USUAL, Rubric
from kata.judging.limits import TIME_LIMIT

EXTRAS = ("jinja2", "msgpack", "rapidfuzz", "rich")  # packages that only graders need
MEMORY = 1024  # MiB beyond what torch takes
TESTS_OF_PATIENCE = 4  # the time limit of all proofs, in limits of one test; and one for each
CLAIMS_OF_PATIENCE = 6  # the time limit of a submission, in limits of one claim


@dataclass(frozen=True)
class Options:
    """What an instructor can choose about what is judged, and how.

    Args:
        slugs: the exercises.
        points: what each of them is worth.
        seed: of the random numbers of claims.
        timeout: seconds for a claim.
        memory: MiB for a submission.
        diagnosis: whether mistakes are named.
        solutions: the folder of the reference, if not the kata's own.
        proof_points: what the proof of each exercise is worth.
        rubric: what known mistakes cost.
    """

    slugs: tuple[str, ...]
    points: Mapping[str, float]
    seed: int = 0
    timeout: float = TIME_LIMIT
    memory: int = MEMORY
    diagnosis: bool = True
    solutions: Path | None = None
    proof_points: float = 0.0
    rubric: Rubric = USUAL

    @property
    def patience(self) -> float:
        """Seconds for a submission."""
        return CLAIMS_OF_PATIENCE * self.timeout

    def patience_for(self, proofs: int) -> float:
        """Seconds for so many proofs of a submission, in all."""
        return (TESTS_OF_PATIENCE + proofs) * self.timeout if proofs else 0.0


def not_installed(name: str | None) -> str:
    """What is said of a package that only graders need."""
    return f'the grader needs {name}, which is not installed: pip install -e ".[grading]"'


def none_left(words: list[str]) -> str:
    """What is said if these exercises are none of those that count."""
    return f"no exercise is left to grade: {', '.join(words)} is not one of the core"
