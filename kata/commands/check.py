"""Check all gates of an exercise: what is missing, wrong, or not proven."""

import multiprocessing
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, TypeVar

from kata.commands.common import need_checkout
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.errors import UserError

if TYPE_CHECKING:
    from kata.upkeep.records import Work

Gate = Callable[..., Iterator[str]]
Result = TypeVar("Result")
EXTRAS = ("rapidfuzz", "msgpack", "cosmic_ray")  # packages that only graders and maintainers have
NO_EXTRA = '{name} is not installed; `pip install -e ".[dev]"` installs what maintainers need'


@dataclass(frozen=True)
class Check:
    """The gates to ask, whether about unchanged parts as well, and whether to record the result."""

    gates: Sequence[Gate]
    anew: bool
    record: bool


@dataclass(frozen=True)
class Outcome:
    """The result for an exercise: how many complaints, how much was left out, and the text."""

    complaints: int
    entries: int = 0
    gates: int = 0
    text: str = ""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; default: all")
    parser.add_argument(
        "--graded",
        action="store_true",
        help="compare with the verdicts of the grader's worker processes too; this takes minutes",
    )
    parser.add_argument("--record", action="store_true",
                        help="if all gates hold, write down which claims each wrong answer fails, "
                             "and what was judged")  # fmt: skip
    parser.add_argument(
        "--anew", action="store_true", help="judge what has not changed since it was recorded, too"
    )
    parser.add_argument(
        "--write-numbers", action="store_true", help="only write today's numbers into the documents"
    )
    parser.add_argument(
        "--write-claims",
        action="store_true",
        help="only write down which claim each wrong answer fails first, after the claims of a "
        "suite have changed places",
    )


def run(options: Namespace) -> int:
    """Exit with 1 if a gate complains."""
    named = [exercise_named(name) for name in options.exercise]
    try:
        if options.write_numbers:
            return _write_numbers()
        if options.write_claims:
            return _write_claims(named or [*exercises().values()])
        if options.record:
            need_checkout()
        return _check(named, options)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise UserError(NO_EXTRA.format(name=error.name)) from None


def _write_numbers() -> int:
    from kata.upkeep.documents import write_numbers

    need_checkout()
    print("\n".join(write_numbers()) or "all numbers in the documents are true")
    return 0


def _write_claims(exercises: Sequence[Exercise]) -> int:
    need_checkout()
    lines = [line for changes in _results(exercises, _changed_claims) for line in changes]
    print("\n".join(lines) or "all claims in the catalogue are those of today")
    return 0


def _changed_claims(exercise: Exercise) -> list[str]:
    from kata.upkeep.wrong_answers import write_claims

    return [*write_claims(exercise)]


def _check(named: list[Exercise], options: Namespace) -> int:
    """Check these exercises; or all of them, and what concerns them together."""
    # Late, because they import numpy and torch.
    from kata.upkeep.gates import GATES, OVERALL_GATES, SLOW_GATES
    from kata.upkeep.parity import PARITY_GATES

    gates = GATES + SLOW_GATES + (PARITY_GATES if options.graded else ())
    overall = () if named else OVERALL_GATES
    check = Check(gates, anew=options.anew or options.graded, record=options.record)
    print(f"{'exercise':<28}{'claims':>7}{'bugs':>6}{'accepted':>10}")
    checked = named or [*exercises().values()]
    outcomes = [_print_outcome(result) for result in _results(checked, partial(_outcome, check))]
    complaints = sum(outcome.complaints for outcome in outcomes)
    complaints += sum(_complain("all", gate.__name__, list(gate())) for gate in overall)
    for line in _left_out(
        sum(outcome.entries for outcome in outcomes), sum(outcome.gates for outcome in outcomes)
    ):
        print(line)
    total = "1 complaint" if complaints == 1 else f"{complaints} complaints"
    print(total if complaints else f"all {len(gates) + len(overall)} gates hold")
    return 1 if complaints else 0


def _left_out(entries: int, gates: int) -> Iterator[str]:
    if entries or gates:
        answers = "1 wrong answer was" if entries == 1 else f"{entries} wrong answers were"
        asked = "1 gate was not asked" if gates == 1 else f"{gates} gates were not asked"
        yield (
            f"{answers} not judged again, and {asked}: nothing that they depend on has changed"
            " since all gates held; `--anew` judges everything"
        )


def _print_outcome(outcome: Outcome) -> Outcome:
    print(outcome.text, end="", flush=True)
    return outcome


def _results(
    exercises: Sequence[Exercise], result: Callable[[Exercise], Result]
) -> Iterator[Result]:
    """Yield the result of every exercise, in this order; the largest are begun first."""
    # A fork of torch may crash on other systems than Linux.
    if len(exercises) == 1 or sys.platform != "linux":
        yield from map(result, exercises)
        return
    from kata.judging.judge import import_torch

    # All forks share it.
    import_torch()
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(mp_context=context) as pool:
        largest = sorted(exercises, key=_size, reverse=True)
        futures = {exercise.slug: pool.submit(result, exercise) for exercise in largest}
        yield from (futures[exercise.slug].result() for exercise in exercises)


def _size(exercise: Exercise) -> int:
    """Estimate how long the gates of an exercise take."""
    return sum(path.stat().st_size for path in (exercise.bugs, exercise.suite) if path.exists())


def _outcome(check: Check, exercise: Exercise) -> Outcome:
    """Check an exercise; if a part is missing, only the first gate can run."""
    first, *others = check.gates
    with redirect_stdout(StringIO()) as text:
        if missing := list(first(exercise)):
            print(exercise.slug)
            outcome = Outcome(_complain(exercise.short, first.__name__, missing))
        else:
            outcome = _judged(exercise, check, others)
    return replace(outcome, text=text.getvalue())


def _judged(exercise: Exercise, check: Check, others: Sequence[Gate]) -> Outcome:
    """Judge first what is not recorded, for all gates rely on it; record it if they hold.

    The gates rely on the records as well; one of them proves these, unless all are made anew.
    """
    from kata.upkeep.faces import optional_parts_missing
    from kata.upkeep.gates import left_out
    from kata.upkeep.records import changed, everything, record, records_are_true, relying, work

    print(_counts(exercise))
    for note in optional_parts_missing(exercise):
        print(f"  {exercise.short}: note: {note}")
    due = everything(exercise) if check.anew else work(exercise)
    fresh = due.entries if check.record else changed(exercise).entries
    asked = [gate for gate in others if not (check.record and gate is records_are_true)]
    with relying(exercise, fresh) as text:
        complaints = _complaints(exercise, asked, due)
    count = sum(_complain(exercise.short, *pair) for pair in complaints.items())
    if check.record and not count:
        record(exercise, text)
    return Outcome(count, *left_out(exercise, due))


def _complaints(exercise: Exercise, asked: Sequence[Gate], work: "Work") -> dict[str, list[str]]:
    """Return the complaints by gate; a gate that raises an error complains of that."""
    from kata.upkeep.gates import complaints

    by_gate = {}
    for gate in asked:
        try:
            by_gate.update(complaints(exercise, (gate,), work))
        except Exception as error:
            # A broken exercise can raise any.
            by_gate[gate.__name__] = [f"could not be asked: {type(error).__name__}: {error}"]
    return by_gate


def _counts(exercise: Exercise) -> str:
    from kata.course.catalogue import bugs
    from kata.judging.judge import suite
    from kata.upkeep.faces import accepted

    claims = len({claim.name for claim in suite(exercise)})
    return f"{exercise.slug:<28}{claims:>7}{len(bugs(exercise)):>6}{len(accepted(exercise)):>10}"


def _complain(where: str, gate: str, complaints: list[str]) -> int:
    for complaint in complaints:
        print(f"  {where}: {gate.replace('_', ' ')}: {complaint}")
    return len(complaints)
