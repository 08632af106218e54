"""Texts stand in the words.toml of their room, and the code says those that stand there."""

import ast
import re
import tomllib
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from kata.course.curriculum import ROOT
from tests.kata.test_style import FORBIDDEN

ROOMS = {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))
         for path in sorted(ROOT.glob("kata/**/words.toml"))}  # fmt: skip


def flat(place: str, table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each text with its key: `room.name`, or `room.section.name`."""
    for name, value in table.items():
        inner = isinstance(value, dict)
        yield from flat(f"{place}.{name}", value) if inner else [(f"{place}.{name}", value)]


TEXTS = dict(text for room, table in ROOMS.items() for text in flat(room, table))
PLACES = {key.rpartition(".")[0] for key in TEXTS}
KEY = re.compile(
    rf"(?:{'|'.join(map(re.escape, PLACES))})\.(?!(?:zip|py|toml)\Z)[a-z]+(?:-[a-z]+)*"
)
CODE = {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.glob("kata/**/*.py"))}  # fmt: skip
WITHOUT_TEXTS = [path for path in CODE if re.match(r"kata/(course|judging|terminal|words)", path)]
FOR_MACHINES = {"course/catalogue.py", "course/stubs.py", "terminal/svg.py"}  # and maintainers
WITHOUT_TEXTS = [path for path in WITHOUT_TEXTS if path.removeprefix("kata/") not in FOR_MACHINES]
EXCEPTIONS = {
    ": a claim takes submission and device, not ",  # an error in a suite, for its author
}
A_TEXT = 3  # words


def constant(node: ast.AST) -> str:
    """The text of a string, or "" if it is none."""
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def pieces(node: ast.JoinedStr) -> list[str]:
    """The parts of an f-string, "" for those that are filled in."""
    return [constant(each) for each in node.values]


def said(tree: ast.Module) -> Iterator[str]:
    """Patterns of all keys in the code; what an f-string fills in may be anything."""
    for node in ast.walk(tree):
        if KEY.fullmatch(constant(node)):
            yield re.escape(constant(node))
        if isinstance(node, ast.JoinedStr) and pieces(node)[0].rpartition(".")[0] in PLACES:
            yield "".join(re.escape(piece) if piece else ".+" for piece in pieces(node))


def strings(tree: ast.Module) -> Iterator[str]:
    """All strings but docstrings, those with something to fill in as one."""
    inside: set[ast.AST] = set()  # of a docstring or an f-string
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, ast.Expr):
            inside.add(node.value)
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            yield "".join(pieces(node))
        elif node not in inside:
            yield constant(node)


def texts(tree: ast.Module) -> list[str]:
    """Strings of so many words that somebody may read them."""
    counted = {each: sum(any(map(str.isalpha, word)) for word in each.split())
               for each in strings(tree)}  # fmt: skip
    return [each for each, words in counted.items() if words >= A_TEXT]


def test_every_text_is_said_somewhere() -> None:
    patterns = {pattern for tree in CODE.values() for pattern in said(tree)}

    assert [key for key in TEXTS if not any(re.fullmatch(each, key) for each in patterns)] == []


@pytest.mark.parametrize("path", CODE)
def test_what_is_said_is_there(path: str) -> None:
    patterns = set(said(CODE[path]))

    assert [each for each in patterns if not any(re.fullmatch(each, key) for key in TEXTS)] == []


@pytest.mark.parametrize("path", WITHOUT_TEXTS)
def test_no_text_stands_in_the_code(path: str) -> None:
    assert set(texts(CODE[path])) <= EXCEPTIONS


def test_no_exception_is_out_of_date() -> None:
    assert {text for path in WITHOUT_TEXTS for text in texts(CODE[path])} == EXCEPTIONS


def test_no_text_talks_down() -> None:
    assert [key for key, text in TEXTS.items() if FORBIDDEN.search(text)] == []


def test_what_is_filled_in_has_a_plain_name() -> None:
    fields = (field for text in TEXTS.values() for field in Formatter().parse(text))
    names = {name for _, name, _, _ in fields if name is not None}  # None: nothing follows

    assert [name for name in names if not name.isidentifier()] == []
    assert "key" not in names  # the first parameter of `say`
