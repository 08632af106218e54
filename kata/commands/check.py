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
    """Which gates are asked, whether about what is unchanged, too, and whether that is recorded."""

    gates: Sequence[Gate]
    anew: bool
    record: bool


@dataclass(frozen=True)
class Outcome:
    """The result for an exercise: the number of complaints, what was left out, the text."""

    complaints: int
    entries: int = 0
    gates: int = 0
    text: str = ""


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
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
    chosen = [exercise_named(name) for name in options.exercise]
    try:
        if options.write_numbers:
            return _write_numbers()
        if options.write_claims:
            return _write_claims(chosen or [*exercises().values()])
        if options.record:
            need_checkout()
        return _checked(chosen, options)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise UserError(NO_EXTRA.format(name=error.name)) from None


def _write_numbers() -> int:
    from kata.upkeep.documents import write_numbers

    need_checkout()
    print("\n".join(write_numbers()) or "all numbers in the documents are true")
    return 0


def _write_claims(chosen: Sequence[Exercise]) -> int:
    need_checkout()
    lines = [line for group in _results(chosen, _claims_written) for line in group]
    print("\n".join(lines) or "all claims in the catalogue are those of today")
    return 0


def _claims_written(exercise: Exercise) -> list[str]:
    from kata.upkeep.wrong_answers import write_claims

    return [*write_claims(exercise)]


def _checked(chosen: list[Exercise], options: Namespace) -> int:
    """Check these exercises; or all of them, and what concerns them together."""
    from kata.upkeep.gates import (  # with them come numpy and torch
        GATES,
        OVERALL_GATES,
        SLOW_GATES,
    )
    from kata.upkeep.parity import PARITY_GATES

    gates = GATES + SLOW_GATES + (PARITY_GATES if options.graded else ())
    overall = () if chosen else OVERALL_GATES
    check = Check(gates, anew=options.anew or options.graded, record=options.record)
    print(f"{'exercise':<28}{'claims':>7}{'bugs':>6}{'accepted':>10}")
    everything = chosen or [*exercises().values()]
    outcomes = [_print_outcome(result) for result in _results(everything, partial(_outcome, check))]
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


def _results(chosen: Sequence[Exercise], about: Callable[[Exercise], Result]) -> Iterator[Result]:
    """The result of every exercise, in this order; the largest are begun first."""
    if len(chosen) == 1 or sys.platform != "linux":  # elsewhere a fork of torch may crash
        yield from map(about, chosen)
        return
    from kata.judging.judge import import_torch

    import_torch()  # once for all that is forked
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(mp_context=context) as pool:
        largest = sorted(chosen, key=_size, reverse=True)
        begun = {exercise.slug: pool.submit(about, exercise) for exercise in largest}
        yield from (begun[exercise.slug].result() for exercise in chosen)


def _size(exercise: Exercise) -> int:
    """Roughly how long its gates take."""
    return sum(path.stat().st_size for path in (exercise.bugs, exercise.suite) if path.exists())


def _outcome(check: Check, exercise: Exercise) -> Outcome:
    """Check an exercise; if a part is missing, only the first gate can run."""
    first, *others = check.gates
    with redirect_stdout(StringIO()) as said:
        if missing := list(first(exercise)):
            print(exercise.slug)
            outcome = Outcome(_complain(exercise.short, first.__name__, missing))
        else:
            outcome = _judged(exercise, check, others)
    return replace(outcome, text=said.getvalue())


def _judged(exercise: Exercise, check: Check, others: Sequence[Gate]) -> Outcome:
    """What is not recorded is judged first, for all gates rely on it; it is kept if they hold.

    What is recorded, they rely on; a gate proves it, unless all of it is to be recorded anew.
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
    """The complaints by gate; one that a broken exercise lets fail complains of that."""
    from kata.upkeep.gates import complaints

    by_gate = {}
    for gate in asked:
        try:
            by_gate.update(complaints(exercise, (gate,), work))
        except Exception as error:  # any, from whatever is wrong with the exercise
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
