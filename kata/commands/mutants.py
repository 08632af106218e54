"""Run mutation tests: every small change to a solution has to fail its suite."""

from argparse import ArgumentParser, Namespace

from kata.course.curriculum import exercise_named, exercises


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; default: all")


def run(options: Namespace) -> int:
    """Exit with 1 if too few mutants are killed, or too many are listed as equivalent."""
    # Late, because it imports numpy and torch.
    from kata.upkeep.mutants import ENOUGH, MOST_EQUIVALENT, score

    chosen = [exercise_named(name) for name in options.exercise]
    scores = []
    print(f"{'exercise':<28}{'mutants':>8}{'killed':>8}{'equivalent':>12}{'alive':>7}")
    for exercise in chosen or exercises().values():
        tally = score(exercise)
        scores.append(tally)
        row = f"{tally.total:>8}{tally.killed:>8}{tally.equivalent:>12}{len(tally.survivors):>7}"
        print(f"{exercise.slug:<28}{row}")
        for mutant in tally.survivors:
            print(f"  {mutant.operator}\n    - {mutant.before}\n    + {mutant.after}")
    total, equivalent = sum(s.total for s in scores), sum(s.equivalent for s in scores)
    share = sum(s.killed for s in scores) / (total - equivalent)
    without, listed = f"killed {share:.1%} of those that are not equivalent", equivalent / total
    print(f"{without}; equivalent {listed:.1%}")
    return 0 if share >= ENOUGH and equivalent <= MOST_EQUIVALENT * total else 1
