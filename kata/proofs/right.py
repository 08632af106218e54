"""The right answers of an exercise: its solution, and others in other styles."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise

REFERENCE = "the reference"
QUOTE = re.compile(r'The contract: "(.+)"', re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """One implementation of an exercise.

    Attributes:
        name: what is special about it: REFERENCE for the solution, the slug of a wrong one.
        text: of its file.
        because: the sentence of the contract that makes it right.
        load: gives it as a module, the same one each time.
    """

    name: str
    text: str
    because: str
    load: Callable[[], ModuleType]


@cache
def right_answers(exercise: Exercise) -> tuple[Answer, ...]:
    """The reference, and then the others by name."""
    others = {path.stem: path for path in sorted(exercise.accepted.glob("*.py"))}
    paths = {REFERENCE: exercise.solution, **others}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    return tuple(_right(exercise, name, text) for name, text in texts.items())


def _right(exercise: Exercise, name: str, text: str) -> Answer:
    target = target_of(exercise, text)
    return Answer(name, text, because(text), lambda: target.module(exercise.slug))


def because(text: str) -> str:
    """The sentence of the contract that the last paragraph of a right answer quotes; "" if none."""
    last = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[-1]
    match = QUOTE.fullmatch(last.strip())
    return " ".join(match[1].split()) if match else ""
