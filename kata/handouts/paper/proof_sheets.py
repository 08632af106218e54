"""The page "write the test": what a learner's own tests have to notice, and blanks for them."""

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.handouts.contracts import Contract, question
from kata.handouts.marked import marked
from kata.handouts.mistakes import made_in
from kata.handouts.paper.typesetting import Data, pdf

BLANKS = 6  # tests that there is room for
LIBRARIES = {"torch": "torch", "numpy": "numpy as np"}  # as they are imported


def proof_sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one page."""
    return pdf("proof.typ", data(exercise), paper)


def data(exercise: Exercise) -> Data:
    """The contents: no title of a mistake, which would be the answer, and nothing of a solution."""
    return {
        "short": exercise.short,
        "title": exercise.title,
        "contracts": [_promise(contract) for contract in question(exercise).contracts],
        "symptoms": [[marked(bug.symptom), made_in(exercise, bug)] for bug in first(exercise)],
        "tests": BLANKS,
        "library": LIBRARIES[exercise.library],
        "file": f"proofs/{exercise.filename}",
        "module": f"exercises.{exercise.slug}",
        "command": f"kata prove {exercise.short}",
    }


def first(exercise: Exercise) -> tuple[Bug, ...]:
    """The wrong answers of level 1."""
    return tuple(bug for bug in bugs(exercise) if bug.level == 1)


def _promise(contract: Contract) -> Data:
    return {"signature": contract.signature, "summary": marked(contract.summary)}
