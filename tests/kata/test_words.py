"""Texts are in the words.toml of their room; code uses those of its own room and of lower ones."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import filter as filter_names
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from kata.course.curriculum import ROOT
from tests.helpers.source_code import FORBIDDEN, tree

ROOMS = {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))
         for path in sorted(ROOT.glob("kata/**/words.toml"))}  # fmt: skip


def place(path: Path) -> str:
    """A module, as seen from kata/."""
    return path.relative_to(ROOT / "kata").as_posix()


def flat(room: str, table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each text with its key: `room.name`, or `room.section.name`."""
    for name, value in table.items():
        inner = isinstance(value, dict)
        yield from flat(f"{room}.{name}", value) if inner else [(f"{room}.{name}", value)]


TEXTS = dict(text for room, table in ROOMS.items() for text in flat(room, table))
PLACES = {key.rpartition(".")[0] for key in TEXTS}
A_PLACE = "|".join(map(re.escape, sorted(PLACES)))
KEY = re.compile(rf"(?:{A_PLACE})\.(?!(?:zip|py|toml)\Z)[a-z]+(?:-[a-z]+)*")
MAY_SAY = re.compile(rf"""["'](?:{A_PLACE})\.""")
CODE = sorted(ROOT.glob("kata/**/*.py"))
PICTURES = {"terminal/curves.py", "terminal/grids.py", "terminal/svg.py"}
FOR_MACHINES = {"course/catalogue.py", "course/stubs.py", *PICTURES}  # and maintainers
WITHOUT_TEXTS = [path for path in CODE
                 if re.match(r"(course|judging|terminal|words)", place(path))
                 and place(path) not in FOR_MACHINES]  # fmt: skip
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
    "The fine print",  # a heading of suites
}
A_TEXT = 3  # words


def constant(node: ast.AST) -> str:
    """The text of a string; "" for anything else."""
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def pieces(node: ast.JoinedStr) -> list[str]:
    """The parts of an f-string, with "" for values."""
    return [constant(each) for each in node.values]


@cache
def said(path: Path) -> frozenset[str]:
    """All keys in the code; a value in an f-string is a pattern of any text."""
    if not MAY_SAY.search(path.read_text(encoding="utf-8")):
        return frozenset()
    keys: set[str] = set()
    for node in ast.walk(tree(path)):
        if KEY.fullmatch(constant(node)):
            keys.add(constant(node))
        if isinstance(node, ast.JoinedStr) and pieces(node)[0].rpartition(".")[0] in PLACES:
            keys.add("".join(piece or "?*" for piece in pieces(node)))
    return frozenset(keys)


def meant(keys: Iterable[str]) -> dict[str, list[str]]:
    """The texts that each key or pattern stands for."""
    return {key: filter_names(TEXTS, key) if "*" in key else [key] * (key in TEXTS)
            for key in keys}  # fmt: skip


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


def test_every_text_is_used_and_every_key_exists() -> None:
    texts_of = meant({key for path in CODE for key in said(path)})

    assert set(TEXTS) - {text for texts in texts_of.values() for text in texts} == set()
    assert [key for key, texts in texts_of.items() if not texts] == []
    assert len(texts_of) > len(TEXTS) / 2


def test_texts_come_from_rooms_that_may_be_imported() -> None:
    assert [(place(path), text) for path in CODE
            for texts in meant(said(path)).values() for text in texts
            if not may_import(module(path), FOLDERS[text.split(".")[0]])] == []  # fmt: skip


def module(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT).with_suffix("").parts


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


def test_no_text_is_in_the_code_but_for_the_exceptions() -> None:
    texts_in = {place(path): texts(tree(path)) for path in WITHOUT_TEXTS}

    assert {path: more for path, all_of_it in texts_in.items()
            if (more := set(all_of_it) - EXCEPTIONS)} == {}  # fmt: skip
    assert {text for all_of_it in texts_in.values() for text in all_of_it} == EXCEPTIONS
    assert texts(ast.parse('raise ValueError(f"no room for {name} in here")'))


def test_no_text_talks_down() -> None:
    assert [key for key, text in TEXTS.items() if FORBIDDEN.search(text)] == []


def test_values_in_texts_have_plain_names() -> None:
    fields = (field for text in TEXTS.values() for field in Formatter().parse(text))
    names = {name for _, name, _, _ in fields if name is not None}  # None: nothing follows

    assert [name for name in names if not name.isidentifier()] == []
    assert "key" not in names  # the first parameter of `say`
