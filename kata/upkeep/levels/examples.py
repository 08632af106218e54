"""The examples in the docstrings, taken as tests: what they would catch alone."""

import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from doctest import DocTest, DocTestFinder, DocTestRunner
from functools import cache
from io import StringIO
from types import ModuleType

from kata.course.catalogue import Bug, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.target import reference
from kata.judging.judge import import_torch


def caught_by_examples(exercise: Exercise, some: tuple[Bug, ...]) -> Iterator[Bug]:
    """Those of these wrong answers that do not give what the examples say."""
    if exercise.library == "torch":
        import_torch()
    for bug in some:
        target = target_of(exercise, wrong_answer(exercise, bug))
        try:
            module = target.module(exercise.slug)
        except Exception:  # whatever it raises: it cannot even be imported
            yield bug
        else:
            if not all(_holds(example, module) for example in _examples(exercise)):
                yield bug


@cache
def _examples(exercise: Exercise) -> tuple[DocTest, ...]:
    """Those of the reference: a wrong answer may have docstrings that say something else."""
    doc_tests = DocTestFinder().find(reference().module(exercise.slug))
    return tuple(doc_test for doc_test in doc_tests if doc_test.examples)


def _holds(example: DocTest, module: ModuleType) -> bool:
    """Whether an example gives what it says, with the names of this module."""
    names = {**vars(module)}
    bound = DocTest(
        example.examples, names, example.name, example.filename, example.lineno, example.docstring
    )
    with redirect_stdout(StringIO()), warnings.catch_warnings(action="ignore"):
        return not DocTestRunner(verbose=False).run(bound, out=lambda _: None).failed
