"""The maintainers' gates, with their counts."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from kata.course.curriculum import Exercise, exercises
from kata.course.naming import exercise_named

Gate = Callable[[Exercise], Iterator[str]]


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; all without one")
    parser.add_argument("--local", action="store_true", help="without the processes of the grader")


def run(options: Namespace) -> int:
    """Exit 1 if a gate complains."""
    from kata.upkeep.gates import OVERALL_GATES  # with them come numpy and torch

    gates = _gates(local=options.local)
    chosen = [exercise_named(each) for each in options.exercise]
    complaints = 0
    print(f"{'exercise':<28}{'claims':>7}{'bugs':>6}{'accepted':>10}")
    for exercise in chosen or exercises().values():
        print(_counts(exercise))
        for gate in gates:
            complaints += _complain(exercise.short, gate.__name__, list(gate(exercise)))
    for overall in () if chosen else OVERALL_GATES:
        complaints += _complain("all", overall.__name__, list(overall()))
    told = "1 complaint" if complaints == 1 else f"{complaints} complaints"
    print(told if complaints else f"all {len(gates) + len(OVERALL_GATES)} gates hold")
    return 1 if complaints else 0


def _gates(*, local: bool) -> tuple[Gate, ...]:
    """Those of the grader's processes too, where there can be such."""
    from kata.upkeep.gates import GATES

    if local or not hasattr(os, "fork"):
        return GATES
    from kata.upkeep.graded_alike import PARITY_GATES  # it needs the extra "grading"

    return GATES + PARITY_GATES


def _counts(exercise: Exercise) -> str:
    from kata.course.catalogue import bugs
    from kata.judging.judge import suite
    from kata.upkeep.gates import accepted

    claims = len({claim.name for claim in suite(exercise)})
    return f"{exercise.slug:<28}{claims:>7}{len(bugs(exercise)):>6}{len(accepted(exercise)):>10}"


def _complain(where: str, gate: str, complaints: list[str]) -> int:
    for each in complaints:
        print(f"  {where}: {gate.replace('_', ' ')}: {each}")
    return len(complaints)
