"""Commands for maintainers: `python -m kata check [ex05 …]`, `python -m kata mutants [ex05 …]`."""

import argparse
import sys
from collections.abc import Callable, Sequence

from kata.catalogue import CatalogueError
from kata.curriculum import Exercise, exercises
from kata.source import UnusableError


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, call, return the exit status."""
    parser = argparse.ArgumentParser(prog="kata", description="Tools around the attention kata.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command, (_, words) in COMMANDS.items():
        each = commands.add_parser(command, help=words)
        each.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; all without one")
    chosen = parser.parse_args(arguments)
    try:
        return COMMANDS[chosen.command][0]([_exercise(name) for name in chosen.exercise])
    except (CatalogueError, UnusableError) as error:
        print(error, file=sys.stderr)
        return 2
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
    told = "1 complaint" if complaints == 1 else f"{complaints} complaints"
    print(told if complaints else f"all {gates} gates hold")
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


def _mutants(chosen: list[Exercise]) -> int:
    from kata.mutants import ENOUGH, MOST_EQUIVALENT, score

    scores = []
    print(f"{'exercise':<28}{'mutants':>8}{'killed':>8}{'equivalent':>12}{'alive':>7}")
    for exercise in chosen or exercises().values():
        found = score(exercise)
        scores.append(found)
        alive = len(found.survivors)
        print(
            f"{exercise.slug:<28}{found.total:>8}{found.killed:>8}{found.equivalent:>12}{alive:>7}"
        )
        for mutant in found.survivors:
            print(f"  {mutant.operator}\n    - {mutant.before}\n    + {mutant.after}")
    total, equivalent = sum(s.total for s in scores), sum(s.equivalent for s in scores)
    share = sum(s.killed for s in scores) / (total - equivalent)
    print(
        f"killed {share:.1%} of those that are not equivalent; equivalent {equivalent / total:.1%}"
    )
    return 0 if share >= ENOUGH and equivalent <= MOST_EQUIVALENT * total else 1


COMMANDS: dict[str, tuple[Callable[[list[Exercise]], int], str]] = {
    "check": (_check, "the maintainers' gates, with their counts"),
    "mutants": (_mutants, "mutation testing of the solutions, with the graded suites as the judge"),
}

if __name__ == "__main__":
    sys.exit(main())
