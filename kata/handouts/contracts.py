"""The contract of an exercise, read from the docstrings of its stub."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kata.course.contract import Item, is_section, section
from kata.course.curriculum import Exercise
from kata.course.source import Source, is_private, read


@dataclass(frozen=True)
class Contract:
    """The promise of one function, class or method.

    Attributes:
        name: as it is called: `split_heads`, `EncoderLayer`, `EncoderLayer.forward`.
        signature: the name and its parameters, without their types.
        summary: the first line of the docstring.
        prose: the paragraphs that follow it.
        sections: Args, Attributes, Returns and Raises, as far as the docstring has them.
        example: the lines of the docstring's example, with what they print.
    """

    name: str
    signature: str
    summary: str
    prose: tuple[str, ...]
    sections: dict[str, tuple[Item, ...]]
    example: str


@dataclass(frozen=True)
class Question:
    """A stub as it is printed: its introduction, and its contracts in file order."""

    about: tuple[str, ...]
    contracts: tuple[Contract, ...]


@cache
def question(exercise: Exercise) -> Question:
    """The parsed stub of an exercise."""
    source = read(exercise.stub)
    about = _paragraphs((ast.get_docstring(source.tree) or "").partition(": ")[2])
    return Question(about, tuple(_contracts(source)))


def _contracts(source: Source) -> Iterator[Contract]:
    """The contracts of functions and methods; a class without methods asks nothing."""
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef) and not is_private(node.name):
            yield _contract(_signature(source, node.name, node), node.name, node)
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield _contract_of_method(source, node, method)


def _contract_of_method(source: Source, owner: ast.ClassDef, method: ast.FunctionDef) -> Contract:
    """The contract of a method; that of `__init__` is the docstring of its class."""
    if method.name == "__init__":
        return _contract(_signature(source, owner.name, method), owner.name, owner)
    name = f"{owner.name}.{method.name}"
    return _contract(_signature(source, name, method), name, method)


def _contract(signature: str, name: str, documented: ast.FunctionDef | ast.ClassDef) -> Contract:
    text, start, example = (ast.get_docstring(documented) or "").partition("\n>>> ")
    summary, *rest = text.split("\n\n")
    prose = tuple(" ".join(paragraph.split()) for paragraph in rest if not is_section(paragraph))
    sections = dict(section(paragraph) for paragraph in rest if is_section(paragraph))
    return Contract(name, signature, summary, prose, sections, start.strip("\n") + example)


def _signature(source: Source, name: str, function: ast.FunctionDef) -> str:
    """The name with its parameters and their defaults; the text explains their types."""
    names = [argument.arg for argument in function.args.args]
    defaults = [ast.get_source_segment(source.text, node) for node in function.args.defaults]
    pairs = zip(names, [None] * (len(names) - len(defaults)) + defaults, strict=True)
    parameters = [
        f"{parameter}={default}" if default else parameter
        for parameter, default in pairs
        if parameter != "self"
    ]
    return f"{name}({', '.join(parameters)})"


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
