"""A proof judged on the learner's machine as in class: in locked processes, on level 1."""

from kata.errors import UserError
from kata.proofs.proof import Proof
from kata.proofs.right import right_answers
from kata.proofs.verdict import ProofVerdict, Refusal, TestState, TestVerdict
from kata.proofs.wrong import wrong_answers
from kata.proved import Proved, ProvedTest


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
        from kata.grading.sandbox import sandbox
        from kata.grading.verdicts.judge import judge_for
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
