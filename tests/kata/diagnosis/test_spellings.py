"""The mistakes that everybody makes, in the many ways in which people write them."""

import ast
import tomllib
from functools import cache
from textwrap import dedent, indent
from typing import Any

import pytest

from kata.course.catalogue import bugs, target_of
from kata.course.curriculum import ROOT, exercises
from kata.course.source import functions, read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import Suspects
from kata.verdict import Fit

TABLES = sorted((ROOT / "tests" / "specimens" / "spellings").glob("*.toml"))


def spellings() -> list[Any]:
    return [
        pytest.param(path.stem, each, id=f"{path.stem}: {each['mistake']}, {each['how']}")
        for path in TABLES
        for each in tomllib.loads(path.read_text(encoding="utf-8"))["spelling"]
    ]


def spelled(slug: str, bodies: dict[str, str]) -> str:
    """The solution with other bodies for some of its functions."""
    text = read(exercises()[slug].solution).text
    for name, body in bodies.items():
        text = with_body(text, name, body)
    return text


def with_body(text: str, name: str, body: str) -> str:
    """A program with another body for one of its functions."""
    function = dict(functions(ast.parse(text)))[name]
    docstring = isinstance(function.body[0], ast.Expr)
    first = function.body[1 if docstring else 0]
    lines = text.splitlines(keepends=True)
    new = indent(dedent(body).strip("\n") + "\n", " " * first.col_offset)
    return "".join([*lines[: first.lineno - 1], new, *lines[function.end_lineno :]])


@cache
def suspects(slug: str) -> Suspects:
    return Suspects(exercises()[slug])


@pytest.mark.parametrize(("slug", "spelling"), spellings())
def test_a_mistake_is_named_however_it_is_spelled(slug: str, spelling: dict[str, Any]) -> None:
    exercise = exercises()[slug]
    text = spelled(slug, spelling["bodies"])

    seen = observe(exercise, target_of(exercise, text))
    found = diagnose(exercise, seen.findings, suspects(slug), text)

    assert found, "nothing is named"
    named = {each.slug for each in found.mistakes}
    assert set(spelling["named"]) <= {bug.slug for bug in bugs(exercise)}
    assert named & set(spelling["named"]), f"named {named}, {found.fit}"
    assert found.fit is not Fit.CRASH
    assert named <= {*spelling["named"], *spelling.get("beside", [])}, f"also named {named}"
