"""Answers for tests: other bodies in the solution, and the wrong answers to compare with."""

import ast
from functools import cache
from textwrap import dedent, indent

from kata.course.curriculum import exercises
from kata.course.source import functions, read
from kata.diagnosis.suspects import Suspects
from kata.judging.judge import suite

# Bodies of the softmax of exercise 01.
RIGHT = """\
powers = np.exp(scores - scores.max(axis, keepdims=True))
return powers / powers.sum(axis, keepdims=True)"""
WRONG = "return scores / scores.sum(axis, keepdims=True)"  # a known mistake


@cache
def claims(slug: str = "ex01_softmax") -> int:
    """How many there are about an exercise."""
    return len(suite(exercises()[slug]))


@cache
def suspects(slug: str) -> Suspects:
    """Those of one exercise: each is judged once for all tests of a process."""
    return Suspects(exercises()[slug])


def spelled(slug: str, bodies: dict[str, str]) -> str:
    """The solution of an exercise with these bodies for its functions."""
    text = read(exercises()[slug].solution).text
    for name, body in bodies.items():
        text = _with_body(text, name, body)
    return text


def _with_body(text: str, name: str, body: str) -> str:
    function = dict(functions(ast.parse(text)))[name]
    docstring = isinstance(function.body[0], ast.Expr)
    first = function.body[1 if docstring else 0]
    lines = text.splitlines(keepends=True)
    new = indent(dedent(body).strip("\n") + "\n", " " * first.col_offset)
    return "".join([*lines[: first.lineno - 1], new, *lines[function.end_lineno :]])
