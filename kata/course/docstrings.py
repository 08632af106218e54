"""Docstrings as data: the sections of a contract, and the entries in them."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import Exercise
from kata.course.source import read

_SECTION = re.compile(r"^(Args|Returns|Raises|Attributes):$")
_NAMED = re.compile(r"^(\w+(?:, \w+)*): (.*)")


@dataclass(frozen=True)
class Item:
    """One entry of a section: its name, if it has one, and its description."""

    name: str
    text: str

    @property
    def names(self) -> list[str]:
        """All of them, where one entry is about several."""
        return self.name.split(", ") if self.name else []


Sections = Mapping[str, tuple[Item, ...]]


@cache
def sections_of(exercise: Exercise) -> Mapping[str, Sections]:
    """What the solution promises, by function, class and method: `Encoder`, `Encoder.forward`."""
    found: dict[str, Sections] = {}
    for node in read(exercise.solution).tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = _sections(node)
        if isinstance(node, ast.ClassDef):
            methods = (
                statement for statement in node.body if isinstance(statement, ast.FunctionDef)
            )
            found |= {f"{node.name}.{function.name}": _sections(function) for function in methods}
    return found


def _sections(node: ast.FunctionDef | ast.ClassDef) -> Sections:
    text, _, _ = (ast.get_docstring(node) or "").partition("\n>>> ")
    return dict(section(word) for word in text.split("\n\n") if is_section(word))


def is_section(paragraph: str) -> bool:
    """Whether a paragraph of a docstring is `Args:` or the like."""
    lines = paragraph.strip("\n").splitlines()
    return bool(lines and _SECTION.match(lines[0]))


def section(paragraph: str) -> tuple[str, tuple[Item, ...]]:
    """The name of a section, and its entries."""
    head, *lines = paragraph.strip("\n").splitlines()
    items: list[Item] = []
    for line in lines:
        named, deeper = _NAMED.match(line.strip()), line.startswith(" " * 8)
        if items and (deeper or not named):
            items[-1] = Item(items[-1].name, f"{items[-1].text} {line.strip()}")
        else:
            items.append(Item(*named.groups()) if named else Item("", line.strip()))
    return head.removesuffix(":"), tuple(items)
