"""Check all gates of an exercise: what is missing, wrong, or not proven."""

import multiprocessing
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from io import StringIO

from kata.commands.common import need_checkout
from kata.course.curriculum import Exercise, exercises
from kata.course.naming import exercise_named
from kata.errors import UserError

Gate = Callable[[Exercise], Iterator[str]]
EXTRAS = ("rapidfuzz", "msgpack")  # packages that only graders and maintainers have
NO_EXTRA = '{name} is not installed; `pip install -e ".[dev]"` installs what maintainers need'


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("exercise", nargs="*", help="ex05, or ex05_causal_masks; default: all")
    parser.add_argument(
        "--graded",
        action="store_true",
        help="compare with the verdicts of the grader's worker processes too; this takes minutes",
    )
    parser.add_argument("--record", action="store_true",
                        help="first write down which claims each wrong answer fails, for a faster "
                             "diagnosis")  # fmt: skip


def run(options: Namespace) -> int:
    """Exit with 1 if a gate complains."""
    chosen = [exercise_named(each) for each in options.exercise]
    try:
        if options.record:
            _record(chosen or list(exercises().values()))
        return _checked(chosen, graded=options.graded)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise UserError(NO_EXTRA.format(name=error.name)) from None


def _record(chosen: list[Exercise]) -> None:
    from kata.upkeep.recording import record  # with it come numpy and torch

    need_checkout()
    for each in chosen:
        record(each)


def _checked(chosen: list[Exercise], *, graded: bool) -> int:
    """Check these exercises; or all of them, and what concerns them together."""
    from kata.upkeep.gates import GATES, OVERALL_GATES  # with them come numpy and torch
    from kata.upkeep.graded_alike import PARITY_GATES
    from kata.upkeep.slow_gates import SLOW_GATES

    gates = GATES + SLOW_GATES + (PARITY_GATES if graded else ())
    overall = () if chosen else OVERALL_GATES
    print(f"{'exercise':<28}{'claims':>7}{'bugs':>6}{'accepted':>10}")
    complaints = sum(map(_shown, _outcomes(chosen or [*exercises().values()], gates)))
    complaints += sum(_complain("all", gate.__name__, list(gate())) for gate in overall)
    told = "1 complaint" if complaints == 1 else f"{complaints} complaints"
    print(told if complaints else f"all {len(gates) + len(overall)} gates hold")
    return 1 if complaints else 0


def _shown(outcome: tuple[int, str]) -> int:
    """Print what was found about an exercise; returns the number of complaints."""
    count, text = outcome
    print(text, end="", flush=True)
    return count


def _outcomes(chosen: Sequence[Exercise], gates: Sequence[Gate]) -> Iterator[tuple[int, str]]:
    """What was found about each of them, in this order; the largest are begun first."""
    if len(chosen) == 1 or sys.platform != "linux":  # elsewhere a fork of torch may crash
        yield from (_outcome(each, gates) for each in chosen)
        return
    from kata.judging.judge import import_torch

    import_torch()  # once for all that is forked
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(mp_context=context) as pool:
        largest = sorted(chosen, key=_size, reverse=True)
        begun = {each.slug: pool.submit(_outcome, each, gates) for each in largest}
        yield from (begun[each.slug].result() for each in chosen)


def _size(exercise: Exercise) -> int:
    """Roughly how long its gates take."""
    return sum(path.stat().st_size for path in (exercise.bugs, exercise.suite) if path.exists())


def _outcome(exercise: Exercise, gates: Sequence[Gate]) -> tuple[int, str]:
    """The number of complaints, and all that is to be said."""
    with redirect_stdout(StringIO()) as said:
        count = _check(exercise, *gates)
    return count, said.getvalue()


def _check(exercise: Exercise, first: Gate, *others: Gate) -> int:
    """The number of complaints; if a part is missing, only the first gate can run."""
    from kata.upkeep.faces import optional_parts_missing

    if missing := list(first(exercise)):
        print(exercise.slug)
        return _complain(exercise.short, first.__name__, missing)
    print(_counts(exercise))
    for note in optional_parts_missing(exercise):
        print(f"  {exercise.short}: note: {note}")
    found = ((gate.__name__, list(gate(exercise))) for gate in others)
    return sum(_complain(exercise.short, *each) for each in found)


def _counts(exercise: Exercise) -> str:
    from kata.course.catalogue import bugs
    from kata.judging.judge import suite
    from kata.upkeep.faces import accepted

    claims = len({claim.name for claim in suite(exercise)})
    return f"{exercise.slug:<28}{claims:>7}{len(bugs(exercise)):>6}{len(accepted(exercise)):>10}"


def _complain(where: str, gate: str, complaints: list[str]) -> int:
    for each in complaints:
        print(f"  {where}: {gate.replace('_', ' ')}: {each}")
    return len(complaints)
