"""Everything on a sheet that is computed: examples by hand, checks, and answers of paper exercises.

The texts of an exercise are in texts/exNN_….toml. Code in them is run with the names of its
solution, so no number is written by hand.
"""

import doctest
import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.target import reference
from kata.handouts.contracts import Contract, question
from kata.handouts.drawing import fixed

TEXTS = Path(__file__).with_name("texts")
DIGITS = 4  # after the point, at most
LARGEST = 20  # denominator that a person would write
CLOSE = 1e-6  # float32 is this near to a fraction or a root
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
def as_written(exercise: Exercise) -> dict[str, Any]:
    """The texts of an exercise before anything is computed; or none."""
    path = TEXTS / f"{exercise.slug}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def texts(exercise: Exercise) -> Texts:
    """The texts of an exercise, with every number computed and every check made; or empty ones."""
    table = as_written(exercise)
    if not table:
        return NO_TEXTS
    checks, paper = table["checks"], table["paper"]
    return Texts(
        subtitle=table["subtitle"],
        questions=table["questions"],
        by_hand=_example(exercise, table["example"]),
        given=checks["given"],
        checks=_checked(exercise, checks["given"], checks["true"]),
        paper=(paper["intro"], _written(paper["blanks"], _names(exercise, paper["setup"]))),
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


def _written(table: list[list[str]], names: Names) -> Told:
    return tuple((text, written(eval(code, names))) for text, code in table)


def _checked(exercise: Exercise, text: str, checks: Told) -> Told:
    names = _names(exercise, text)
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
    modules = (vars(reference().module(exercise.slug)) for exercise in chosen)
    return seeded({name: value for names in modules for name, value in names.items()})


def seeded(names: Names) -> Names:
    """The names, and the libraries under their usual aliases."""
    import numpy as np
    import torch

    torch.manual_seed(0)
    np.random.seed(0)  # the checks use the short legacy API
    return {"math": math, "np": np, "torch": torch, "nn": torch.nn, **names}


def shown(value: Any, one: Callable[[float], str] | None = None) -> str:
    """A result as a person would write it: few digits, no type names; `one` writes a number."""
    if hasattr(value, "tolist") and not isinstance(value, tuple):
        value = value.tolist()
    if isinstance(value, list | tuple):  # torch.Size is a tuple
        left, right = "[]" if isinstance(value, list) else "()"
        return f"{left}{', '.join(shown(each, one) for each in value)}{right}"
    if isinstance(value, float) and math.isfinite(value):
        return (one or _decimal)(value)
    return str(value)


def written(value: Any) -> str:
    """The same as one writes it with a pencil: 1/3 and √6, where decimals would not end."""
    exact, decimals = shown(value, _exact), shown(value)
    alone = exact != decimals and not exact.startswith(("[", "("))
    return f"{exact} ({decimals})" if alone else exact


def _decimal(value: float) -> str:
    return fixed(value, DIGITS).rstrip("0").rstrip(".")


def _exact(value: float) -> str:
    """As a decimal if that is all of it, else as a fraction or a root, if it is one."""
    near = Fraction(value).limit_denominator(LARGEST)
    square = round(value * value)
    if math.isclose(value, float(_decimal(value)), abs_tol=CLOSE):
        return _decimal(value)
    if math.isclose(value, near, rel_tol=CLOSE):
        return str(near)
    if value > 0 and math.isclose(value * value, square, rel_tol=CLOSE):
        return f"√{square}"
    return _decimal(value)
