"""Judge your own tests of an exercise: which wrong answers do they catch?

They are in proofs/, next to the exercises. Exits with 0 once they catch all wrong answers of
level 1 and refuse no right one.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.learner.folder.proofs import remember
from kata.proofs.files import begun, proof_at, proofs_of
from kata.proofs.proof import Proof
from kata.proofs.verdict import LEVELS, ProofVerdict
from kata.terminal.style import style_of
from kata.text import clean


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", nargs="?", help="ex05; by default the one saved last")
    add_folder(parser)
    levels = "1: the traps; 2: also what happened to somebody; 3: everything"
    parser.add_argument(
        "--level", type=int, choices=LEVELS, default=LEVELS[-1], metavar="N", help=levels
    )
    parser.add_argument(
        "--as-graded",
        action="store_true",
        help="as in class: in a sandbox, on level 1; takes longer",
    )
    parser.add_argument("--file", type=Path, help="tests that are not in proofs/")


def run(options: Namespace) -> int:
    """Print the verdict; return 0 if level 1 is all caught and nothing is refused."""
    proof = chosen_proof(options)
    if not proof.written:
        print(nothing_written(proof))
        return 1
    level = 1 if options.as_graded else options.level
    verdict = _as_graded(proof) if options.as_graded else judged(proof, level)
    if not options.file and not options.as_graded:
        remember(folder_of(options), proof, verdict)
    from kata.proofs.shown.lines import lines

    print(*lines(verdict, style_of(sys.stdout), level), sep="\n")
    return 0 if verdict.is_done else 1


def _as_graded(proof: Proof) -> ProofVerdict:
    from kata.commands.graded_proof import as_graded  # with it comes the sandbox

    return as_graded(proof)


def judged(proof: Proof, level: int = LEVELS[-1]) -> ProofVerdict:
    """The verdict on a proof; raises UserError if none of its tests could be called."""
    from kata.proofs.judge import judge  # with it come numpy and torch

    verdict = judge(proof, level)
    if verdict.error:
        where = f"{path_of(proof)}:{verdict.line}"
        raise UserError(f"{where}: the file raises an error before any test runs: {verdict.error}")
    return verdict


def chosen_proof(options: Namespace) -> Proof:
    """The tests that were asked for; raises UserError if there are none."""
    folder = proofs_of(folder_of(options))
    file: Path | None = getattr(options, "file", None)
    exercise = exercise_named(options.exercise or str(file)) if options.exercise or file else None
    exercise = exercise or _latest(folder)
    path = file or folder / exercise.filename
    if not path.exists():
        raise UserError(
            f"{path} does not exist; `kata init` makes the stubs of all proofs, "
            f"`kata prove {exercise.short}` judges yours then"
        )
    proof = proof_at(exercise, Path(os.path.relpath(path)))
    if not proof.tests:
        raise UserError(f"{path_of(proof)} has no test: a test is a function called test_…")
    return proof


def _latest(folder: Path) -> Exercise:
    """The proof that was saved last, of those that are begun."""
    if proofs := begun(folder):
        return proofs[-1].exercise
    raise UserError(
        f"no test in {folder} is written yet; choose an exercise that you have passed, "
        "and write one for it there"
    )


def nothing_written(proof: Proof) -> str:
    """The sentence for a proof that has only stubs."""
    return clean(
        f"{path_of(proof)}: no test is written yet; write the first one, and run this again"
    )


def path_of(proof: Proof) -> str:
    """The path of a proof's file, as short as it can be."""
    return os.path.relpath(proof.source.path)
