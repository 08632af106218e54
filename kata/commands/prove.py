"""Judge your own tests of an exercise: which wrong answers do they catch?

They are in proofs/, next to the exercises. Exits with 0 once they catch all wrong answers of
level 1 and refuse no right one.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import Exercise, exercise_named
from kata.errors import UserError
from kata.learner.proofs import judged, remember
from kata.marks import Proved, ProvedTest
from kata.proofs.proof import Proof, begun, proof_at, proofs_of
from kata.proofs.verdict import LEVELS, ProofVerdict, Refusal, TestState, TestVerdict
from kata.terminal.style import style_of
from kata.text import clean


def arguments(parser: ArgumentParser) -> None:
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
    proof = proof_of(options)
    if not proof.written:
        print(nothing_written(proof))
        return 1
    level = 1 if options.as_graded else options.level
    verdict = as_graded(proof) if options.as_graded else judged_proof(proof, level)
    if not options.file and not options.as_graded:
        remember(folder_of(options), proof, verdict)
    # Late, because it imports numpy.
    from kata.proofs.report import lines

    print(*lines(verdict, style_of(sys.stdout), level), sep="\n")
    return 0 if verdict.is_done else 1


def proof_of(options: Namespace) -> Proof:
    """Return the tests that were asked for; raise UserError if there are none."""
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
        raise UserError(f"{_path(proof)} has no test: a test is a function called test_…")
    return proof


def _latest(folder: Path) -> Exercise:
    """Return the exercise of the proof that was saved last, of those that are begun."""
    if proofs := begun(folder):
        return proofs[-1].exercise
    raise UserError(
        f"no test in {folder} is written yet; choose an exercise that you have passed, "
        "and write one for it there"
    )


def nothing_written(proof: Proof) -> str:
    """Return the sentence for a proof that has only stubs."""
    return clean(f"{_path(proof)}: no test is written yet; write the first one, and run this again")


def judged_proof(proof: Proof, level: int = LEVELS[-1]) -> ProofVerdict:
    """Return the verdict on a proof; raise UserError if none of its tests could be called."""
    return judged(proof, lambda line: f"{_path(proof)}:{line}: the file", level)


def _path(proof: Proof) -> str:
    return os.path.relpath(proof.source.path)


def as_graded(proof: Proof) -> ProofVerdict:
    """Return a grader's verdict on a proof; raise UserError if no grader can run here."""
    from kata.proofs.answers import right_answers, wrong_answers

    proved = _proved(proof)
    if proved.problem:
        raise UserError(proved.problem)
    tests = tuple(map(_test, proved.tests))
    exercise, remarks = proof.exercise, tuple(proof.remarks)
    traps = tuple(answer.label for answer in wrong_answers(exercise, level=1))
    right = len(right_answers(exercise))
    return ProofVerdict(exercise.slug, tests, traps, remarks=remarks, right=right, is_partial=True)


def _proved(proof: Proof) -> Proved:
    slug, content = proof.exercise.slug, proof.source.text.encode("utf-8", "surrogatepass")
    from kata.grading.options import Options, not_installed

    try:
        from kata.grading import sandbox
        from kata.grading.judge import judge_for
    except ModuleNotFoundError as error:
        raise UserError(not_installed(error.name)) from None
    if missing := sandbox.missing():
        raise UserError(f"it cannot be judged as in class on this machine: {missing[0]}")
    judge = judge_for(Options((slug,), {slug: 1.0}))
    try:
        return judge.proof(slug, content)
    finally:
        judge.end()


def _test(test: ProvedTest) -> TestVerdict:
    state = TestState[test.outcome.name]
    if state is TestState.REFUSES or (state is TestState.BROKEN and test.answer):
        refusal = Refusal(test.answer, test.because, test.error, test.at)
        return TestVerdict(test.name, test.line, state, (refusal,))
    return TestVerdict(
        test.name, test.line, state, catches=frozenset(test.catches), remark=test.error
    )
