"""The claims of a suite, their groups and the functions that they are about, without running it.

An editor lists the claims of files that nobody has begun, and that must not import torch.
"""

import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType

from kata.course.curriculum import Exercise
from kata.course.source import contract

Codes = Mapping[str, CodeType]  # the functions of a suite, by name


class Group(StrEnum):
    """The group of a claim: a heading of its suite, such as `# The idea`."""

    IDEA = "The idea"
    FINE_PRINT = "The fine print"
    REFUSALS = "Refusals"


HEADING_OR_CLAIM = re.compile(rf"# ({'|'.join(Group)})|def (test_\w+)")


def listed(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the ids of all claims in the order of the suite, with the names of the claims."""
    for name, code in compiled(exercise).items():
        if name.startswith("test_"):
            parameters = code.co_varnames[: code.co_argcount]
            devices = ["[cpu]", "[cuda]"] if "device" in parameters else [""]
            yield from ((f"{name}{device}", name) for device in devices)


@cache
def groups(exercise: Exercise) -> Mapping[str, Group]:
    """Return the groups by the names of claims; claims below no heading are of the idea."""
    by_claim: dict[str, Group] = {}
    group = Group.IDEA
    for text in exercise.suite.read_text(encoding="utf-8").splitlines():
        if line := HEADING_OR_CLAIM.match(text):
            heading, claim = line.groups()
            group = Group(heading) if heading else group
            by_claim |= {claim: group} if claim else {}
    return by_claim


@cache
def about(exercise: Exercise, claim: str) -> str:
    """Return the public name that a claim asks for: a function or a class."""
    return reached(claim, _codes(exercise), tuple(contract(exercise).names))


@cache
def _codes(exercise: Exercise) -> Codes:
    return imported(exercise) or compiled(exercise)


def reached(claim: str, codes: Codes, public: tuple[str, ...]) -> str:
    """Return the public name that the code of a claim uses, or that a helper uses for it.

    Of several it is the last one: the others make the arguments of that one.
    """
    for names in used(claim, codes):
        if candidates := [name for name in names if name in public]:
            return candidates[-1]
    return public[0]


def used(claim: str, codes: Codes) -> Iterator[list[str]]:
    """Yield the names that a claim uses, then those that a helper uses for it, helper by helper."""
    waiting, seen = deque([claim]), {claim}
    while waiting:
        names = [*dict.fromkeys(_names(codes[waiting.popleft()]))]
        yield names
        waiting += [name for name in names if name in codes and name not in seen]
        seen |= set(names)


def imported(exercise: Exercise) -> Codes:
    """Return the functions of a suite that this run judges with; none if it was not imported."""
    name = module_name(exercise)
    values = vars(sys.modules[name]).values() if name in sys.modules else ()
    functions = (value for value in values if isinstance(value, FunctionType))
    own = (function for function in functions if function.__module__ == name)
    return {function.__name__: function.__code__ for function in own}


@cache
def compiled(exercise: Exercise) -> Codes:
    """Return the functions of a suite as Python has compiled them, most often in an earlier run."""
    name = module_name(exercise)
    module = SourceFileLoader(name, str(exercise.suite)).get_code(name)
    assert module is not None  # a file of source text always has code
    return {code.co_name: code for code in _inner(module)}


def module_name(exercise: Exercise) -> str:
    """Return the name of a suite as an imported module."""
    return f"kata_graded.{exercise.suite.stem}"


def _names(code: CodeType) -> list[str]:
    """List all names that a function uses, those of the functions within it included."""
    return [*code.co_names, *(name for inner in _inner(code) for name in _names(inner))]


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
