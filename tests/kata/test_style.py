"""What no linter checks: short functions, the rooms of kata/, and words that talk down."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises

LONGEST = 30  # lines of a function, without its docstring
KATA = ROOT / "kata"
MOST_IN_KATA, MOST_IN_A_ROOM = 9, 12  # Python files, so that one `ls` shows what is there
A_SENTENCE = 5  # words
TESTS = ROOT / "tests" / "kata"
FIGURES = KATA / "handouts" / "figures"  # has a module for each exercise
CODE = [*ROOT.glob("kata/**/*.py"), *ROOT.glob("solutions/*.py"), *ROOT.glob("benchmarks/*.py"),
        *ROOT.glob("tests/graded/*.py")]  # fmt: skip
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("exercises/*"),
         *ROOT.glob("bugs/*.toml"), *ROOT.glob("tests/graded/*.py")]  # fmt: skip
FORBIDDEN = re.compile(
    r"\b(just|simply|obviously|trivially|of course|easy|easily)\b", re.IGNORECASE
)


def rooms() -> list[Path]:
    """All folders of kata/ that contain Python files."""
    return sorted({path.parent for path in KATA.rglob("*.py")} - {KATA})


def modules(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.py") if path.name != "__init__.py")


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


def test_one_ls_shows_what_is_in_kata() -> None:
    files = [*KATA.glob("*.py")]

    assert len(files) <= MOST_IN_KATA, files


@pytest.mark.parametrize("room", rooms(), ids=lambda room: str(room.relative_to(KATA)))
def test_a_room_is_small_and_says_what_is_in_it(room: Path) -> None:
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))

    assert room == FIGURES or len(modules(room)) <= MOST_IN_A_ROOM, modules(room)
    assert docstring
    assert len(docstring.split("\n\n")[0].split()) >= A_SENTENCE, docstring


def test_every_room_has_tests_of_its_own() -> None:
    tests = {path.parent for path in TESTS.rglob("test_*.py")}
    tested = {folder for path in tests for folder in (path, *path.parents)}

    assert [
        room for room in rooms() if room.parent == KATA and TESTS / room.name not in tested
    ] == []


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
