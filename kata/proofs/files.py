"""Where a learner's proofs are: in a folder next to that of the exercises."""

from contextlib import suppress
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError, read
from kata.proofs.proof import Proof

NAME = "proofs"


def proofs_of(folder: Path) -> Path:
    """The folder of proofs that belongs to this folder of exercises."""
    return folder.parent / NAME if folder.name else folder.absolute().parent / NAME


def proof_at(exercise: Exercise, path: Path) -> Proof:
    """The tests in this file; raises UnusableError if it cannot be judged."""
    return Proof.of(exercise, path, read(path).text)


def begun(folder: Path) -> list[Proof]:
    """The proofs in which any test is written, the one that was saved last at the end."""
    there = [
        exercise for exercise in exercises().values() if (folder / exercise.filename).is_file()
    ]
    found = []
    for each in there:
        with suppress(UnusableError):
            found.append(proof_at(each, folder / each.filename))
    written = [proof for proof in found if proof.written]
    return sorted(written, key=lambda proof: proof.source.path.stat().st_mtime)
