"""Everything on a sheet that is computed: examples by hand, checks, and answers of paper exercises.

The texts of an exercise are in texts/exNN_….toml. Code in them is run with the names of its
solution, so no number is written by hand.
"""

import doctest
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.target import reference
from kata.handouts.contracts import Contract, question
from kata.judging.describe import fixed

TEXTS = Path(__file__).with_name("texts")
DIGITS = 4  # after the point, at most
Names = dict[str, Any]
Told = Sequence[tuple[str, str]]  # a text, and its computed value or the code that checks it


class ExampleError(Exception):
    """An example is not true of the solution; the message names it."""


@dataclass(frozen=True)
class Texts:
    """The texts that only the sheet of one exercise has.

    Attributes:
        subtitle: one sentence below the title.
        questions: for the instructor, each with what to listen for.
        by_hand: the name whose docstring's example is worked, a sentence before it, its code, and
            its steps with their values.
        given: code that comes before the checks.
        checks: sentences and expressions, each of which is true of the solution.
        paper: what the paper exercise begins with, and its blanks with their answers.
    """

    subtitle: str
    questions: Told
    by_hand: "Example"
    given: str
    checks: Told
    paper: tuple[str, Told]


@dataclass(frozen=True)
class Example:
    """A docstring's example, and the steps that lead to it."""

    about: str
    code: str
    steps: Told


NO_TEXTS = Texts("", (), Example("", "", ()), "", (), ("", ()))


@cache
def texts(exercise: Exercise) -> Texts:
    """The texts of an exercise, with every number computed and every check made; or empty ones."""
    path = TEXTS / f"{exercise.slug}.toml"
    if not path.exists():
        return NO_TEXTS
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    checks, paper = table["checks"], table["paper"]
    return Texts(
        subtitle=table["subtitle"],
        questions=table["questions"],
        by_hand=_example(exercise, table["example"]),
        given=checks["given"],
        checks=_checked(exercise, checks["given"], checks["true"]),
        paper=(paper["intro"], _computed(paper["blanks"], _names(exercise, paper["setup"]))),
    )


def _example(exercise: Exercise, table: dict[str, Any]) -> Example:
    """The example of one contract; a sentence in the table replaces its code."""
    contract = next(each for each in question(exercise).contracts if each.name == table["of"])
    names = _after(exercise, contract)
    exec(table.get("setup", ""), names)
    steps = _computed(table["steps"], names)
    about = table.get("about", "").format_map(_Shown(names))
    return Example(about, "" if about else contract.example, steps)


class _Shown(dict[str, Any]):
    """Names whose values are inserted into a sentence as a person would write them."""

    def __getitem__(self, name: str) -> str:
        return shown(super().__getitem__(name))


def _after(exercise: Exercise, contract: Contract) -> Names:
    """The names that exist after running the docstring's example, whose output must match."""
    names = _names(exercise, "")
    test = doctest.DocTestParser().get_doctest(contract.example, names, contract.name, None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
    if result.failed:
        raise ExampleError(f"{exercise.short} {contract.name}: {said[0].strip()}")
    return test.globs


def _computed(table: list[list[str]], names: Names) -> Told:
    return tuple((text, shown(eval(code, names))) for text, code in table)


def _checked(exercise: Exercise, given: str, checks: Told) -> Told:
    names = _names(exercise, given)
    for _, code in checks:
        if not eval(code, names):
            raise ExampleError(f"{exercise.short}: {code}")
    return checks


def _names(exercise: Exercise, setup: str) -> Names:
    """The names of the solution, and those defined by this code."""
    names = namespace(exercise)
    exec(setup, names)
    return names


def namespace(*chosen: Exercise) -> Names:
    """The names of these solutions, and the same random numbers in every run."""
    modules = (vars(reference().module(each.slug)) for each in chosen)
    return seeded({name: value for names in modules for name, value in names.items()})


def seeded(names: Names) -> Names:
    """The names, and the libraries under their usual aliases."""
    import numpy as np
    import torch

    torch.manual_seed(0)
    np.random.seed(0)  # the checks use the short legacy API
    return {"math": math, "np": np, "torch": torch, "nn": torch.nn, **names}


def shown(value: Any) -> str:
    """A result as a person would write it: few digits, no type names."""
    if hasattr(value, "tolist") and not isinstance(value, tuple):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, tuple):  # torch.Size is one
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, float) and math.isfinite(value):
        return fixed(value, DIGITS).rstrip("0").rstrip(".")
    return str(value)
