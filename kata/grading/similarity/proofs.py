"""Whose work tests are: another student's, the kata's own, or a copy of the solution."""

import ast
from collections.abc import Iterator
from functools import cache

from kata.course.curriculum import ROOT, Exercise
from kata.course.source import TOO_DEEP, UnusableError, parse, read, spelled
from kata.grading.similarity.flags import Flag
from kata.grading.similarity.similarity import Comparison, are_alike, nearness
from kata.grading.similarity.steps import program
from kata.proofs.law import PREFIX
from kata.words import say

MODELS = ROOT / "tests" / "proofs"
FEWEST_NODES = 25  # of a syntax tree: less is a formula that everybody writes


class ProofComparison(Comparison):
    """Compares tests by what they do; those that are like the kata's own only if they are equal."""

    def letters(self, exercise: Exercise, text: str) -> str:
        """What the tests do."""
        return program(exercise, text, PREFIX).letters

    def reference(self, exercise: Exercise) -> str:
        """What the kata's own tests do."""
        return _model(exercise)


def flags(exercise: Exercise, text: str) -> list[Flag]:
    """The flags of a proof by itself."""
    return [*_is_model(exercise, text), *_has_solution(exercise, text)]


def _is_model(exercise: Exercise, text: str) -> Iterator[Flag]:
    mine, model = program(exercise, text, PREFIX).letters, _model(exercise)
    if are_alike(exercise, mine, model):
        yield Flag("model", say("similarity.model", percent=int(100 * nearness(mine, model))))


def _has_solution(exercise: Exercise, text: str) -> Iterator[Flag]:
    """A test that compares with the solution itself has found out nothing."""
    try:
        mine = _bodies(parse(exercise.stub, text).tree)
    except (UnusableError, *TOO_DEEP):
        return
    right = _bodies(parse(exercise.stub, read(exercise.solution).text).tree)
    lines = sorted(line for body, line in mine.items() if body in right)
    if lines:
        yield Flag("oracle", say("similarity.oracle", line=lines[0]))


def _bodies(tree: ast.Module) -> dict[str, int]:
    """What each function does, names aside, with the line where it begins."""
    functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
    return {_spelled(each): each.lineno for each in functions if _is_large(each)}


def _is_large(function: ast.FunctionDef) -> bool:
    return sum(1 for each in _body(function) for _ in ast.walk(each)) >= FEWEST_NODES


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    return function.body[ast.get_docstring(function) is not None :]


def _spelled(function: ast.FunctionDef) -> str:
    """Its statements, with its own names as numbers."""
    names = [each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)]
    stored = (each for each in ast.walk(function) if isinstance(each, ast.Name))
    names += [each.id for each in stored if isinstance(each.ctx, ast.Store)]
    numbers = {name: f"_{place}" for place, name in enumerate(dict.fromkeys(names))}
    copy = ast.parse("\n".join(ast.unparse(each) for each in _body(function)))
    for each in ast.walk(copy):
        if isinstance(each, ast.Name):
            each.id = numbers.get(each.id, each.id)
    return spelled(copy)


@cache
def _model(exercise: Exercise) -> str:
    path = MODELS / exercise.filename
    return program(exercise, read(path).text, PREFIX).letters if path.is_file() else ""
