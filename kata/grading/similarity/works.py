"""What of a submission is compared with the works of others: its answers, and its tests.

Tests are flagged by themselves, too, if they are the kata's own, or have a copy of the solution.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

from kata.class_verdict import Work
from kata.course.curriculum import Exercise, exercises
from kata.course.source import TOO_DEEP, UnusableError, decoded, parse, read, spelled
from kata.grading.similarity.alike import LARGEST, are_alike, digest, nearness, reference, work_of
from kata.grading.similarity.flags import Flag
from kata.grading.similarity.steps import program
from kata.proofs.law import PREFIX
from kata.proved import PROOF

FEWEST_NODES = 25  # of a syntax tree: less is a formula that everybody writes


def works_of(
    slugs: Iterable[str], answers: Mapping[str, bytes], tests: Mapping[str, bytes]
) -> Iterator[Work]:
    """Read all of these exercises that can be read; of others their verdicts say why not."""
    for slug in slugs:
        for files, work in ((answers, work_of), (tests, work_of_tests)):
            if slug in files:
                with suppress(Exception):  # of any kind: a file may be made to be hard to read
                    yield work(exercises()[slug], decoded(slug, files[slug]))


@lru_cache(maxsize=1024)
def work_of_tests(exercise: Exercise, text: str) -> Work:
    """Read a student's tests, as far as they are compared, and flag what they are by themselves."""
    steps = program(exercise, text, PREFIX).letters
    own = tuple((flag.kind, flag.text) for flag in flags(exercise, text))
    return Work(PROOF + exercise.slug, steps[: LARGEST + 1], digest(text), own)


def flags(exercise: Exercise, text: str) -> list[Flag]:
    """Flag a proof by itself."""
    return [*_is_model(exercise, text), *_has_solution(exercise, text)]


def _is_model(exercise: Exercise, text: str) -> Iterator[Flag]:
    mine, model = program(exercise, text, PREFIX).letters, reference(PROOF + exercise.slug)
    if are_alike(exercise, mine, model):
        share = f"{int(100 * nearness(mine, model))} % the same steps"
        yield Flag("model", f"{share} as the kata's own tests, names and order aside")


def _has_solution(exercise: Exercise, text: str) -> Iterator[Flag]:
    """A test that compares with the solution itself has found out nothing."""
    try:
        mine = _bodies(parse(exercise.stub, text).tree)
    except (UnusableError, *TOO_DEEP):
        return
    right = _bodies(parse(exercise.stub, read(exercise.solution).text).tree)
    lines = sorted(line for body, line in mine.items() if body in right)
    if lines:
        text = f"line {lines[0]} has a function of the reference, names aside"
        yield Flag("oracle", f"{text}: what is compared with it is compared with a copy")


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
