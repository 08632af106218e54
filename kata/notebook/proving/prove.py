"""`prove(test_causal, test_padding)`: a learner's own tests, tried on right and wrong answers."""

from typing import TYPE_CHECKING

from kata.errors import UserError
from kata.notebook.check import LAST, friendly
from kata.notebook.kernel import cells
from kata.notebook.work import Work

if TYPE_CHECKING:
    from kata.notebook.proving.result import ProofResult


@friendly
def prove(*what: object) -> "ProofResult":
    """Judge the tests that the cells of this notebook define.

    Args:
        what: test functions, or "ex05" for all tests in the notebook that are about it.
    """
    return proved(Work(cells()), *what)


def proved(work: Work, *what: object) -> "ProofResult":
    """Judge the tests of these cells."""
    from kata.notebook.proving.result import ProofResult
    from kata.notebook.proving.tests_in_cells import tests_asked
    from kata.proofs.judge import judge  # with it come numpy and torch

    tests = tests_asked(work, what)
    verdict = judge(tests.proof)
    if verdict.error:
        where = tests.place(verdict.line)
        raise UserError(f"{where} raises an error before any test runs: {verdict.error}")
    result = ProofResult(verdict, tests.place)
    LAST[:] = [(work, result)]
    return result
