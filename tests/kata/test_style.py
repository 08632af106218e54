"""What a linter does not see: short functions, and words that do not talk down to anybody."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises

LONGEST = 30  # lines of a function, its docstring aside
CODE = [*ROOT.glob("kata/**/*.py"), *ROOT.glob("solutions/*.py"), *ROOT.glob("benchmarks/*.py"),
        *ROOT.glob("tests/graded/*.py")]  # fmt: skip
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("exercises/*"),
         *ROOT.glob("bugs/*.toml"), *ROOT.glob("tests/graded/*.py")]  # fmt: skip
FORBIDDEN = re.compile(
    r"\b(just|simply|obviously|trivially|of course|easy|easily)\b", re.IGNORECASE
)


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            documented = ast.get_docstring(node) is not None
            body = node.body[1:] if documented else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            yield node.name, lines


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_functions_are_short(path: Path) -> None:
    assert [(name, lines) for name, lines in functions(path) if lines > LONGEST] == []


@pytest.mark.parametrize("path", [p for p in TEXTS if p.is_file()], ids=lambda path: path.name)
def test_no_word_talks_down(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    quoted = re.sub(r'"[^"\n]*"', "", text) if path.suffix == ".md" else text

    assert FORBIDDEN.findall(quoted) == []


def test_hints_never_give_the_code() -> None:
    for exercise in exercises().values():
        for bug in bugs(exercise):
            code = [text.strip() for pair in bug.change for text in pair if "(" in text]
            told = [hint for hint in bug.hints if any(each in hint for each in code)]
            assert told == [], bug.slug
