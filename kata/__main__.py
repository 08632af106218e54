"""Commands for maintainers: `python -m kata check [ex05 …]`."""

import argparse
import sys
from collections.abc import Sequence

from kata.curriculum import Exercise, exercises


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, call, return the exit status."""
    parser = argparse.ArgumentParser(prog="kata", description="Tools around the attention kata.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="the maintainers' gates, with their counts")
    check.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; all without one")
    chosen = parser.parse_args(arguments)
    try:
        return _check([_exercise(name) for name in chosen.exercise])
    except KeyError as error:
        print(
            f"no exercise is called {error}; there are: {', '.join(exercises())}", file=sys.stderr
        )
        return 2


def _exercise(name: str) -> Exercise:
    for slug, exercise in exercises().items():
        if name in {slug, exercise.short}:
            return exercise
    raise KeyError(name)


def _check(chosen: list[Exercise]) -> int:
    from kata.gates import GATES, OVERALL_GATES  # with them come numpy and torch

    complaints = 0
    print(f"{'exercise':<28}{'claims':>7}{'bugs':>6}{'accepted':>10}")
    for exercise in chosen or exercises().values():
        print(_counts(exercise))
        for gate in GATES:
            complaints += _complain(exercise.short, gate.__name__, list(gate(exercise)))
    for overall in () if chosen else OVERALL_GATES:
        complaints += _complain("all", overall.__name__, list(overall()))
    gates = len(GATES) + len(OVERALL_GATES)
    print(f"{complaints} complaints" if complaints else f"all {gates} gates hold")
    return 1 if complaints else 0


def _counts(exercise: Exercise) -> str:
    from kata.catalogue import bugs
    from kata.gates import accepted
    from kata.judge import suite

    claims = len({claim.name for claim in suite(exercise)})
    return f"{exercise.slug:<28}{claims:>7}{len(bugs(exercise)):>6}{len(accepted(exercise)):>10}"


def _complain(where: str, gate: str, complaints: list[str]) -> int:
    for each in complaints:
        print(f"  {where}: {gate.replace('_', ' ')}: {each}")
    return len(complaints)


if __name__ == "__main__":
    sys.exit(main())
