"""Texts are in the words.toml of their room; code uses those of its own room and of lower ones."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
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
PICTURES = {"terminal/curves.py", "terminal/grids.py", "terminal/svg.py"}
FOR_MACHINES = {"course/catalogue.py", "course/stubs.py", *PICTURES}  # and maintainers
WITHOUT_TEXTS = [path for path in WITHOUT_TEXTS if path.removeprefix("kata/") not in FOR_MACHINES]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
FLOORS = {
    container: {name: floor for floor, names in enumerate(contract["layers"])
                for name in names.split(" | ")}
    for contract in CONTRACTS if contract["type"] == "layers"
    for container in contract["containers"]
}  # fmt: skip
FOLDERS = {path.parent.name: path.parent.relative_to(ROOT).parts
           for path in ROOT.glob("kata/**/words.toml")}  # fmt: skip
EXCEPTIONS = {
    ": a claim takes submission and device, not ",  # an error in a suite, for its author
}
A_TEXT = 3  # words


def constant(node: ast.AST) -> str:
    """The text of a string; "" for anything else."""
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def pieces(node: ast.JoinedStr) -> list[str]:
    """The parts of an f-string, with "" for values."""
    return [constant(each) for each in node.values]


def said(tree: ast.Module) -> Iterator[str]:
    """Patterns of all keys in the code; a value in an f-string matches anything."""
    for node in ast.walk(tree):
        if KEY.fullmatch(constant(node)):
            yield re.escape(constant(node))
        if isinstance(node, ast.JoinedStr) and pieces(node)[0].rpartition(".")[0] in PLACES:
            yield "".join(re.escape(piece) if piece else ".+" for piece in pieces(node))


def strings(tree: ast.Module) -> Iterator[str]:
    """All strings except docstrings; an f-string as one string without its values."""
    inside: set[ast.AST] = set()  # a docstring or an f-string
    for node in ast.walk(tree):  # outer nodes first
        if isinstance(node, ast.Expr):
            inside.add(node.value)
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            yield "".join(pieces(node))
        elif node not in inside:
            yield constant(node)


def texts(tree: ast.Module) -> list[str]:
    """Strings with so many words that they are meant to be read by people."""
    counted = {each: sum(any(map(str.isalpha, word)) for word in each.split())
               for each in strings(tree)}  # fmt: skip
    return [each for each, words in counted.items() if words >= A_TEXT]


def test_every_text_is_used() -> None:
    patterns = {pattern for tree in CODE.values() for pattern in said(tree)}

    assert [key for key in TEXTS if not any(re.fullmatch(each, key) for each in patterns)] == []


@pytest.mark.parametrize("path", CODE)
def test_every_key_in_the_code_exists(path: str) -> None:
    patterns = set(said(CODE[path]))

    assert [each for each in patterns if not any(re.fullmatch(each, key) for key in TEXTS)] == []


@pytest.mark.parametrize("path", CODE)
def test_texts_come_from_rooms_that_may_be_imported(path: str) -> None:
    patterns = list(said(CODE[path]))
    keys = [key for key in TEXTS if any(re.fullmatch(each, key) for each in patterns)]
    module = ("kata", *Path(path).relative_to("kata").with_suffix("").parts)

    assert [key for key in keys if not may_import(module, FOLDERS[key.split(".")[0]])] == []


def may_import(module: tuple[str, ...], room: tuple[str, ...]) -> bool:
    """Whether the room contains the module, or is on a lower floor of the import contracts."""
    if module[: len(room)] == room:
        return True
    depth = next(at for at, name in enumerate(room) if module[at] != name)
    floors = FLOORS.get(".".join(room[:depth]))  # from the top; rooms without a contract have none
    return not floors or floors[module[depth]] < floors[room[depth]]


def test_a_text_from_above_would_be_found() -> None:
    assert may_import(("kata", "commands", "common"), ("kata", "grading", "sandbox"))
    assert not may_import(("kata", "judging", "judge"), ("kata", "terminal"))
    assert not may_import(("kata", "grading", "sandbox", "channel"), ("kata", "grading", "judges"))


@pytest.mark.parametrize("path", WITHOUT_TEXTS)
def test_no_text_is_in_the_code(path: str) -> None:
    assert set(texts(CODE[path])) <= EXCEPTIONS


def test_no_exception_is_out_of_date() -> None:
    assert {text for path in WITHOUT_TEXTS for text in texts(CODE[path])} == EXCEPTIONS


def test_no_text_talks_down() -> None:
    assert [key for key, text in TEXTS.items() if FORBIDDEN.search(text)] == []


def test_values_in_texts_have_plain_names() -> None:
    fields = (field for text in TEXTS.values() for field in Formatter().parse(text))
    names = {name for _, name, _, _ in fields if name is not None}  # None: nothing follows

    assert [name for name in names if not name.isidentifier()] == []
    assert "key" not in names  # the first parameter of `say`
