"""The maintainers' gates, with their counts."""

from argparse import ArgumentParser, Namespace

from kata.commands.common import exercise_named
from kata.curriculum import Exercise, exercises


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; all without one")
    parser.add_argument("--local", action="store_true", help="without the processes of the grader")


def run(options: Namespace) -> int:
    """Exit 1 if a gate complains."""
    from kata.gates import GATES, OVERALL_GATES  # with them come numpy and torch

    if options.local:
        from kata.grading.parity import stay_here

        stay_here()
    chosen = [exercise_named(each) for each in options.exercise]
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
