"""What a suite claims, and what each claim is about, without running it.

An editor lists the claims of files that nobody has begun, which must not take an import of torch.
"""

import ast
import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType

from kata.course.curriculum import Exercise
from kata.course.source import Source, contract

Codes = Mapping[str, CodeType]  # the functions of a suite, by name


class Group(StrEnum):
    """The group of a claim: a heading of its suite, such as `# The idea`."""

    IDEA = "The idea"
    FINE_PRINT = "The fine print"
    REFUSALS = "Refusals"


HEADING_OR_CLAIM = re.compile(rf"# ({'|'.join(Group)})|def (test_\w+)")


def listed(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """The ids of all claims, as the suite gives them, each with the claim's name."""
    for name, code in compiled(exercise).items():
        if name.startswith("test_"):
            wanted = code.co_varnames[: code.co_argcount]
            devices = ["[cpu]", "[cuda]"] if "device" in wanted else [""]
            yield from ((f"{name}{device}", name) for device in devices)


@cache
def groups(exercise: Exercise) -> Mapping[str, Group]:
    """The group of each claim, by its name; of the idea is all that stands below no heading."""
    found: dict[str, Group] = {}
    group = Group.IDEA
    for text in exercise.suite.read_text(encoding="utf-8").splitlines():
        if line := HEADING_OR_CLAIM.match(text):
            heading, claim = line.groups()
            group = Group(heading) if heading else group
            found |= {claim: group} if claim else {}
    return found


def top_lines(source: Source) -> dict[str, int]:
    """Where each function and class of a learner's file begins."""
    nodes = (
        statement
        for statement in source.tree.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    )
    return {definition.name: definition.lineno for definition in nodes}


@cache
def about(exercise: Exercise, claim: str) -> str:
    """The public name that a claim asks for: a function or a class."""
    return reached(claim, _codes(exercise), tuple(contract(exercise).names))


@cache
def _codes(exercise: Exercise) -> Codes:
    return imported(exercise) or compiled(exercise)


def reached(claim: str, codes: Codes, wanted: tuple[str, ...]) -> str:
    """The name that the code of a claim uses, by itself or through helpers of its suite.

    Of several it is the last one: the others make what that one is given.
    """
    for names in used(claim, codes):
        if found := [name for name in names if name in wanted]:
            return found[-1]
    return wanted[0]


def used(claim: str, codes: Codes) -> Iterator[list[str]]:
    """The names that a claim uses, then those that each helper of its suite uses for it."""
    waiting, seen = deque([claim]), {claim}
    while waiting:
        names = [*dict.fromkeys(_names(codes[waiting.popleft()]))]
        yield names
        waiting += [name for name in names if name in codes and name not in seen]
        seen |= set(names)


def imported(exercise: Exercise) -> Codes:
    """The functions of a suite that this run judges with; none if it was not imported."""
    name = _module(exercise)
    found = vars(sys.modules[name]).values() if name in sys.modules else ()
    functions = [value for value in found if isinstance(value, FunctionType)]
    return {
        function.__name__: function.__code__
        for function in functions
        if function.__module__ == name
    }


@cache
def compiled(exercise: Exercise) -> Codes:
    """The functions of a suite as Python has compiled them, most often in an earlier run."""
    name = _module(exercise)
    module = SourceFileLoader(name, str(exercise.suite)).get_code(name)
    assert module is not None  # a file of source text always has code
    return {
        co_const.co_name: co_const
        for co_const in module.co_consts
        if isinstance(co_const, CodeType)
    }


def _module(exercise: Exercise) -> str:
    return f"kata_graded.{exercise.suite.stem}"


def _names(code: CodeType) -> list[str]:
    """All names that a function uses, those of the functions within it included."""
    inner = (co_const for co_const in code.co_consts if isinstance(co_const, CodeType))
    return [*code.co_names, *(name for code_type in inner for name in _names(code_type))]
