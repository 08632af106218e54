"""What a test says of a right answer that it refuses: the line, and the values."""

import ast
import sys
import traceback
from collections.abc import Container, Iterator

from kata.course.source import read, shortened
from kata.inside.conditions import OutsideContractError
from kata.proofs.proof import Proof

MOST_LINES = 8  # of an explanation


def told(proof: Proof, error: BaseException) -> str:
    """The error as pytest would tell it, without its frames."""
    if isinstance(error, OutsideContractError) and error.__cause__:
        shown = told(proof, error.__cause__)
        return f"{shown}\n{error}"
    text = str(error).strip()
    if isinstance(error, AssertionError) and not text:
        text = proof.source.line(line_of(proof, error))
    lines = [shortened(line) for line in text.splitlines()[:MOST_LINES]]
    shown = "\n".join(lines)
    if shown.startswith("assert ") or by_pytest(error, "fail"):
        return shown
    return f"{type(error).__name__}: {shown}" if shown else type(error).__name__


def says_something_of(proof: Proof, line: int, sentence: str) -> bool:
    """Whether a sentence of the contract is about anything that the test in this line uses."""
    tests = proof.tests.values()
    names = {name for test in tests if test.lineno <= line <= (test.end_lineno or 0)
             for name in _names(test)}  # fmt: skip
    return any(sentence in text for text in _promises(proof, names))


def _names(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _promises(proof: Proof, names: Container[str]) -> Iterator[str]:
    """What the stub says of these functions and classes, in one line each."""
    for top in read(proof.exercise.stub).tree.body:
        if getattr(top, "name", "") in names:
            for node in ast.walk(top):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    yield " ".join((ast.get_docstring(node) or "").split())


def line_of(proof: Proof, error: BaseException) -> int:
    """The last line of the proof that led to it; 0 if it was raised elsewhere."""
    walked = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in walked if frame.f_code.co_filename == proof.path]
    return lines[-1] if lines else 0


def is_assertion(error: BaseException | None) -> bool:
    """Whether the test itself has said no, and not stumbled."""
    return isinstance(error, AssertionError) or by_pytest(error, "fail")


def by_pytest(error: BaseException | None, name: str) -> bool:
    """Whether `pytest.fail` or another helper of this name has raised it."""
    pytest = sys.modules.get("pytest")
    return pytest is not None and isinstance(error, getattr(pytest, name).Exception)
