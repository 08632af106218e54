"""Whether the stub of a proof follows from the contract, and is not begun."""

from collections.abc import Iterator
from pathlib import Path

from kata.course.curriculum import CODE, ROOT, Exercise
from kata.proofs.stubs import FOLDER, proof_stub


def proof_file(exercise: Exercise) -> Path:
    """Where a learner's own tests of it are, in a checkout."""
    return FOLDER / exercise.filename


def proof_follows_from_the_contract(exercise: Exercise) -> Iterator[str]:
    """It is what is made of the contract today; an installed kata makes it when it is needed."""
    path = proof_file(exercise)
    if ROOT != CODE:
        return
    again = f"`kata reset {exercise.short} --proof` writes it again"
    if not path.is_file():
        yield f"proofs/{path.name} is missing; {again}"
    elif path.read_text(encoding="utf-8") != proof_stub(exercise):
        yield f"proofs/{path.name} is not what its contract asks for; {again}"
