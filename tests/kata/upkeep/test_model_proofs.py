"""Six short tests from the contract alone catch level 1 of each exercise, and refuse nothing."""

import ast
from collections.abc import Iterator

import pytest

from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import read
from kata.proofs.judge import judge
from kata.proofs.proof import Proof

PROOFS = ROOT / "tests" / "proofs"
MOST_TESTS, MOST_LINES = 6, 12
each_exercise = pytest.mark.parametrize(
    "exercise", exercises().values(), ids=lambda exercise: exercise.short
)


@each_exercise
def test_a_model_proof_catches_level_1_and_refuses_nothing(exercise: Exercise) -> None:
    path = PROOFS / exercise.filename
    found = judge(Proof.of(exercise, path, path.read_text(encoding="utf-8")), level=1)

    assert [(test.name, test.refusals, test.remark) for test in found.refuses] == []
    assert found.survivors(1) == ()
    assert found.is_done


@each_exercise
def test_a_model_proof_is_short_and_knows_nothing_of_the_catalogue(exercise: Exercise) -> None:
    tree = read(PROOFS / exercise.filename).tree
    tests = [each for each in _functions(tree) if each.name.startswith("test_")]

    assert 1 <= len(tests) <= MOST_TESTS
    assert [each.name for each in tests if _length(each) > MOST_LINES] == []
    assert not {"kata", "solutions", "bugs"} & set(_imported(tree))


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [each for each in tree.body if isinstance(each, ast.FunctionDef)]


def _length(function: ast.FunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name.split(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
