"""The numbers of an experiment, computed with the reference each time they are shown."""

import math
from collections.abc import Iterator
from textwrap import indent
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.target import reference
from kata.why.reasons import reason

DIGITS = 2  # significant ones: more would differ from machine to machine
ROUNDING = 1e-5  # below it stand errors of rounding, of which only the size is the same everywhere
Line = tuple[str, str]  # a sentence, and the number that belongs to it


def measured(exercise: Exercise) -> list[Line]:
    """What the experiment of an exercise finds; nothing if it has none."""
    purpose = reason(exercise)
    return [*_results(exercise, purpose.experiment)] if purpose else []


def _results(exercise: Exercise, code: str) -> Iterator[Line]:
    names = tools(exercise) | vars(reference().module(exercise.slug))
    exec(f"def experiment():\n{indent(code, '    ')}", names)  # the kata's own code
    yield from ((sentence, number_text(value)) for sentence, value in names["experiment"]())


def tools(exercise: Exercise) -> dict[str, Any]:
    """The libraries that an experiment may use."""
    import numpy as np

    if exercise.library == "numpy":
        return {"np": np}
    import torch

    return {"np": np, "torch": torch, "nn": torch.nn}


def number_text(value: Any) -> str:
    """The text of a number, or of several."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list | tuple):
        return ", ".join(map(number_text, plain))
    return str(plain) if isinstance(plain, str | int) else _rounded(plain)


def _rounded(number: float) -> str:
    """A number, whole from 10 to a million, a bound if tiny, and with two digits otherwise."""
    if 0 < abs(number) < ROUNDING:
        return f"below 1e{math.floor(math.log10(abs(number))) + 1}"
    if 10 <= abs(number) < 1_000_000:
        return f"{number:.0f}"
    return f"{number:.{DIGITS}g}".replace("e-0", "e-").replace("e+0", "e+")
