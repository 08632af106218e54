"""The computed part of a sheet: the example by hand, the checks, the answers of paper exercises.

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
CLOSE = 1e-6  # the distance of float32 from a fraction or a root
Names = dict[str, Any]
Rows = Sequence[tuple[str, str]]  # a text, and its computed value or the code that checks it


class ExampleError(Exception):
    """An example is not true of the solution; the message names it."""


@dataclass(frozen=True)
class Example:
    """A docstring's example, and the steps that lead to it."""

    about: str = ""
    code: str = ""
    steps: Rows = ()


@dataclass(frozen=True)
class Texts:
    """The texts that only the sheet of one exercise has.

    Attributes:
        subtitle: one sentence below the title.
        questions: for the instructor, with what to listen for.
        by_hand: the example of one docstring, worked step by step.
        setup: code that comes before the checks.
        checks: sentences with expressions that are true of the solution.
        paper: the introduction of the paper exercise, and its blanks with their answers.
    """

    subtitle: str = ""
    questions: Rows = ()
    by_hand: Example = Example()
    setup: str = ""
    checks: Rows = ()
    paper: tuple[str, Rows] = ("", ())


@cache
def read_texts(name: str) -> dict[str, Any]:
    """Read the file of this name in the folder of texts."""
    return tomllib.loads((TEXTS / f"{name}.toml").read_text(encoding="utf-8"))


def raw_texts(exercise: Exercise) -> dict[str, Any]:
    """The texts of an exercise before anything is computed; or none."""
    return read_texts(exercise.slug) if (TEXTS / f"{exercise.slug}.toml").exists() else {}


@cache
def texts(exercise: Exercise) -> Texts:
    """The texts of an exercise, with every number computed and every check made; or empty ones."""
    table = raw_texts(exercise)
    if not table:
        return Texts()
    checks, paper = table["checks"], table["paper"]
    _check(exercise, checks["setup"], checks["true"])
    blanks = _computed(paper["blanks"], _names(exercise, paper["setup"]), format_exact)
    return Texts(
        subtitle=table["subtitle"],
        questions=table["questions"],
        by_hand=_example(exercise, table["example"]),
        setup=checks["setup"],
        checks=checks["true"],
        paper=(paper["intro"], blanks),
    )


def _check(exercise: Exercise, setup: str, checks: Rows) -> None:
    names = _names(exercise, setup)
    for _, code in checks:
        if not eval(code, names):
            raise ExampleError(f"{exercise.short}: {code}")


def _example(exercise: Exercise, table: dict[str, Any]) -> Example:
    """The example of one contract; a sentence in the table replaces its code."""
    contracts = {contract.name: contract for contract in question(exercise).contracts}
    contract = contracts[table["of"]]
    names = _after(exercise, contract)
    exec(table.get("setup", ""), names)
    steps = _computed(table["steps"], names, format_value)
    about = table.get("about", "").format_map(_FormattedNames(names))
    return Example(about, "" if about else contract.example, steps)


class _FormattedNames(dict[str, Any]):
    """Names whose values are inserted into a sentence as a person would write them."""

    def __getitem__(self, name: str) -> str:
        return format_value(super().__getitem__(name))


def _after(exercise: Exercise, contract: Contract) -> Names:
    """The names that exist after the docstring's example, whose output must match."""
    names = _names(exercise, "")
    test = doctest.DocTestParser().get_doctest(contract.example, names, contract.name, None, 0)
    output: list[str] = []
    result = doctest.DocTestRunner().run(test, out=output.append, clear_globs=False)
    if result.failed:
        raise ExampleError(f"{exercise.short} {contract.name}: {output[0].strip()}")
    return test.globs


def _computed(table: list[list[str]], names: Names, form: Callable[[Any], str]) -> Rows:
    return tuple((text, form(eval(code, names))) for text, code in table)


def _names(exercise: Exercise, setup: str) -> Names:
    """The names of the solution, and those defined by this code."""
    names = namespace(exercise)
    exec(setup, names)
    return names


def namespace(*chosen: Exercise) -> Names:
    """The names of these solutions, with the libraries."""
    modules = (vars(reference().module(exercise.slug)) for exercise in chosen)
    return with_libraries({name: value for names in modules for name, value in names.items()})


def with_libraries(names: Names) -> Names:
    """The names and the libraries' aliases; both libraries draw the same numbers in every run."""
    import numpy as np
    import torch

    torch.manual_seed(0)
    # The checks use the short legacy API.
    np.random.seed(0)
    return {"math": math, "np": np, "torch": torch, "nn": torch.nn, **names}


def format_value(value: Any, form: Callable[[float], str] | None = None) -> str:
    """A result as a person would write it, without types; `form` writes a number."""
    if hasattr(value, "tolist") and not isinstance(value, tuple):
        value = value.tolist()
    # torch.Size is a tuple.
    if isinstance(value, list | tuple):
        left, right = "[]" if isinstance(value, list) else "()"
        return f"{left}{', '.join(format_value(part, form) for part in value)}{right}"
    if isinstance(value, float) and math.isfinite(value):
        return (form or _decimal)(value)
    return str(value)


def format_exact(value: Any) -> str:
    """The same with fractions and roots, such as 1/3 and √6, where decimals would not end."""
    exact, decimals = format_value(value, _exact), format_value(value)
    is_number = exact != decimals and not exact.startswith(("[", "("))
    return f"{exact} ({decimals})" if is_number else exact


def _decimal(value: float) -> str:
    return fixed(value, DIGITS).rstrip("0").rstrip(".")


def _exact(value: float) -> str:
    """A decimal if that is all of it, else a fraction or a root, if it is near to one."""
    fraction = Fraction(value).limit_denominator(LARGEST)
    square = round(value * value)
    if math.isclose(value, float(_decimal(value)), abs_tol=CLOSE):
        return _decimal(value)
    if math.isclose(value, fraction, rel_tol=CLOSE):
        return str(fraction)
    if value > 0 and math.isclose(value * value, square, rel_tol=CLOSE):
        return f"√{square}"
    return _decimal(value)
