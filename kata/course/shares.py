"""What each claim of an exercise is worth, and what each known mistake costs.

The points of an exercise are shared among its functions, and those of a function among its claims:
the idea has two thirds of them, the fine print and the refusals one third.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.course.source import contract, tree_of
from kata.course.suite_code import Group, about, groups, listed

OF_THE_IDEA = 2 / 3
# Classes of mistakes, each with what it costs of the function that it is in.
PRICES = {"all": 1.0, "grave": 1 / 2, "middle": 3 / 10, "small": 1 / 7}
USUAL = {Group.IDEA: "grave", Group.FINE_PRINT: "small", Group.REFUSALS: "small"}
CUDA = "[cuda]"  # the end of the ids of claims that no grader makes


@cache
def shares(exercise: Exercise) -> Mapping[str, float]:
    """The share of the points that each claim has, by its id; together they are 1."""
    return {
        claim: part(exercise, function) * of_it / len(ids)
        for function, both in _claims(exercise).items()
        for ids, of_it in _parts(*both)
        for claim in ids
    }


def price(exercise: Exercise, bug: Bug) -> str:
    """The class of a mistake: its own, or that of the claims that it breaks first."""
    return bug.price or USUAL[groups(exercise).get(bug.claim, Group.IDEA)]


@cache
def function_of(exercise: Exercise, bug: Bug) -> str:
    """The function or class of the solution that a mistake changes, else the one of its claim."""
    text, names = exercise.solution.read_text(encoding="utf-8"), contract(exercise).names
    nodes = [
        statement for statement in tree_of(text).body if getattr(statement, "name", "") in names
    ]
    for find, _ in bug.change:
        first = text[: text.find(find)].count("\n") + 1
        last = first + find.rstrip("\n").count("\n")
        for node in nodes:
            if node.lineno <= last and first <= (node.end_lineno or 0):
                return str(getattr(node, "name", ""))
    return about(exercise, bug.claim)


def part(exercise: Exercise, function: str) -> float:
    """The share of the points that a function or class has."""
    whole = sum(of_function(exercise, claim) for claim in _claims(exercise))
    return of_function(exercise, function) / whole


def of_function(exercise: Exercise, name: str) -> int:
    """The weight of a function or class: how many functions there are to write, if not set."""
    if name in exercise.shares:
        return exercise.shares[name]
    return sum(function.partition(".")[0] == name for function in contract(exercise).functions)


@cache
def _claims(exercise: Exercise) -> Mapping[str, tuple[list[str], list[str]]]:
    """The ids of the claims about each function: those of the idea, and the others."""
    found: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for claim, name in listed(exercise):
        if not claim.endswith(CUDA):
            of_the_idea, others = found[about(exercise, name)]
            idea = groups(exercise)[name] is Group.IDEA
            (of_the_idea if idea else others).append(claim)
    return found


def _parts(idea: list[str], others: list[str]) -> list[tuple[list[str], float]]:
    """Each of the two with its part of the function, all of it if the other one is empty."""
    if not idea or not others:
        return [(idea or others, 1.0)]
    return [(idea, OF_THE_IDEA), (others, 1 - OF_THE_IDEA)]
