"""The reason for an exercise: what breaks without the piece, in words and in numbers."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.target import reference

PATH = Path(__file__).with_name("reasons.toml")
DIGITS = 2  # significant ones: more would differ from machine to machine
ROUNDING = 1e-5  # below it stand errors of rounding, of which only the size is the same everywhere
Line = tuple[str, str]  # a sentence and its number


@dataclass(frozen=True)
class Reason:
    """The reason why a piece exists.

    Attributes:
        why: a few paragraphs.
        experiment: code that yields pairs of a sentence and its numbers. It may use the names of
            the exercise and the imports of its file.
        reading: one paper or text.
    """

    why: str
    experiment: str
    reading: str

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the reason itself."""
        return self.why.split("\n\n")

    @property
    def to_read_on(self) -> str:
        """The reading, in a sentence."""
        return f"To read on: {self.reading}."


def reason(exercise: Exercise) -> Reason | None:
    """Return the reason for an exercise; a new one may have none yet."""
    entry = _all().get(exercise.slug)
    return Reason(**{name: text.strip() for name, text in entry.items()}) if entry else None


@cache
def _all() -> dict[str, dict[str, str]]:
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def measured(exercise: Exercise) -> list[Line]:
    """Return the results of the experiment of an exercise; nothing if it has none."""
    purpose = reason(exercise)
    return [*_results(exercise, purpose.experiment)] if purpose else []


def _results(exercise: Exercise, code: str) -> Iterator[Line]:
    names = tools(exercise) | vars(reference().module(exercise.slug))
    exec(f"def experiment():\n{indent(code, '    ')}", names)  # the kata's own code
    yield from ((sentence, number_text(value)) for sentence, value in names["experiment"]())


def tools(exercise: Exercise) -> dict[str, Any]:
    """Return the libraries that an experiment may use, by their usual names."""
    import numpy as np

    if exercise.library == "numpy":
        return {"np": np}
    import torch

    return {"np": np, "torch": torch, "nn": torch.nn}


def number_text(value: Any) -> str:
    """Write a number, or several."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list | tuple):
        return ", ".join(map(number_text, plain))
    return str(plain) if isinstance(plain, str | int) else _rounded(plain)


def _rounded(number: float) -> str:
    """Write a number: whole from 10 to a million, a bound if tiny, else with two digits."""
    if 0 < abs(number) < ROUNDING:
        return f"below 1e{math.floor(math.log10(abs(number))) + 1}"
    if 10 <= abs(number) < 1_000_000:
        return f"{number:.0f}"
    return f"{number:.{DIGITS}g}".replace("e-0", "e-").replace("e+0", "e+")
