"""Judge your own tests of an exercise: which wrong answers do they catch?

They are in proofs/, next to the exercises. Exits with 0 once they catch all wrong answers of
level 1 and refuse no right one.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from kata.commands.as_json import document
from kata.commands.common import add_folder, folder_of
from kata.course.curriculum import Exercise, exercise_named
from kata.course.source import UnusableError
from kata.errors import UserError
from kata.learner.progress import Progress, learner
from kata.learner.proofs import remember
from kata.marks import Proved, ProvedTest
from kata.practice.survivors import STEPS, SurvivorHints, hint_lines, none_left, one_more
from kata.proofs.answers import right_answers, wrong_answers
from kata.proofs.proof import Proof, begun, proof_at, proofs_of
from kata.proofs.verdict import LEVELS, ProofVerdict, Refusal, TestState, TestVerdict
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
    from kata.proofs.report import lines

    print(*lines(verdict, style_of(sys.stdout), level), sep="\n")
    return 0 if verdict.is_done else 1


def _as_graded(proof: Proof) -> ProofVerdict:

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


def as_graded(proof: Proof) -> ProofVerdict:
    """A grader's verdict on a proof; raises UserError if no grader can run here."""
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


def proof_hints(options: Namespace) -> int:
    """Print the hints about a wrong answer that is missed, one more than last time."""
    proof, name = chosen_proof(options), options.function or ""
    if not proof.written:
        print(nothing_written(proof))
        return 0
    exercise, verdict, memory = proof.exercise, judged(proof), Progress(folder_of(options))
    passed = _has_passed(memory, folder_of(options), exercise)
    hints = None if verdict.refuses else one_more(memory, exercise, verdict, name, passed=passed)
    if options.json:
        print(document(_proof_content(exercise, hints)))
    elif hints:
        print(*hint_lines(hints, style_of(sys.stdout)), sep="\n")
    else:
        print(none_left(exercise, verdict, name))
    return 0


def _has_passed(memory: Progress, folder: Path, exercise: Exercise) -> bool:
    try:
        return memory.passed(learner(folder, memory).digest(exercise.slug))
    except UnusableError:
        return False


def _proof_content(exercise: Exercise, hints: SurvivorHints | None) -> dict[str, Any]:
    """The hints for programs, in the form of the other ones."""
    return {
        "exercise": exercise.slug,
        "about": hints.about.about if hints else "",
        "hints": list(hints.texts) if hints else [],
        "of": STEPS if hints else 0,
        "remembered": hints.saved if hints else True,
    }
