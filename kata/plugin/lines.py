"""What a suite claims, and which function each claim is about, without running it.

An editor lists the claims of files that nobody has begun, which must not take an import of torch.
"""

import ast
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType

from kata.course.curriculum import Exercise
from kata.course.source import Source, contract


def listed(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """The ids of all claims, as the suite gives them, each with the claim's name."""
    for name, code in _compiled(exercise).items():
        if name.startswith("test_"):
            wanted = code.co_varnames[: code.co_argcount]
            devices = ["[cpu]", "[cuda]"] if "device" in wanted else [""]
            yield from ((f"{name}{device}", name) for device in devices)


def top_lines(source: Source) -> dict[str, int]:
    """Where each function and class of a learner's file begins."""
    nodes = (each for each in source.tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef))
    return {each.name: each.lineno for each in nodes}


@cache
def about(exercise: Exercise, claim: str) -> str:
    """The public name that a claim asks for, by itself or through helpers of its suite.

    Of several it is the last one: the others make what that one is given.
    """
    wanted, known = contract(exercise).names, _codes(exercise)
    waiting, seen = deque([claim]), {claim}
    while waiting:
        names = _names(known[waiting.popleft()])
        if found := [each for each in names if each in wanted]:
            return found[-1]
        waiting += [each for each in dict.fromkeys(names) if each in known and each not in seen]
        seen |= set(names)
    return wanted[0]


@cache
def _codes(exercise: Exercise) -> Mapping[str, CodeType]:
    """The functions of a suite: those that are there already, if it was imported."""
    module = sys.modules.get(_module(exercise))
    if module is None:
        return _compiled(exercise)
    functions = (each for each in vars(module).values() if isinstance(each, FunctionType))
    return {each.__name__: each.__code__ for each in functions if _is_of(module.__name__, each)}


def _is_of(module: str, function: FunctionType) -> bool:
    return function.__module__ == module


@cache
def _compiled(exercise: Exercise) -> Mapping[str, CodeType]:
    """The functions of a suite as Python has compiled them, most often in an earlier run."""
    name = _module(exercise)
    module = SourceFileLoader(name, str(exercise.suite)).get_code(name)
    assert module is not None  # a file of source text always has code
    return {each.co_name: each for each in module.co_consts if isinstance(each, CodeType)}


def _module(exercise: Exercise) -> str:
    return f"kata_graded.{exercise.suite.stem}"


def _names(code: CodeType) -> list[str]:
    """All names that a function uses, those of the functions within it included."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return [*code.co_names, *(name for each in inner for name in _names(each))]
