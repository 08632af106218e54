"""Judge an exercise now, and say what `pytest` says of it; --json is for assistants and editors.

Without a name it judges every exercise that you have begun. Exit status: 0 if all claims hold, 1 if
work is left, 2 for a name that does not exist.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kata.commands.as_json import document, verdict
from kata.commands.common import add_folder, folder_of, no_file, none_started, track_of
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.judging.limits import TIME_LIMIT
from kata.learner.status import outlook, statuses
from kata.learner.waiting_judge import FORKS, judged_now
from kata.terminal.board import board
from kata.terminal.message import message, prints
from kata.terminal.style import Style, style_of
from kata.verdict import ExerciseVerdict, State

MANY = 3  # exercises; from there on, forks of a process that has torch are faster


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", nargs="?", help="ex05; by default all that you have begun")
    add_folder(parser)
    parser.add_argument("--json", action="store_true", help="for other programs")
    parser.add_argument(
        "--timeout", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for one claim"
    )


def run(options: Namespace) -> int:
    """Judge in course order, because an exercise that passes serves the later ones."""
    folder = folder_of(options)
    begun = _exercises(options, folder)
    forks = FORKS and len(begun) >= MANY
    verdicts = [
        judged_now(folder, exercise, forks=forks, limit=options.timeout, goes_on=True)
        for exercise in begun
    ]
    if options.json:
        print(
            document(
                {"exercises": [verdict(exercise_verdict, folder) for exercise_verdict in verdicts]}
            )
        )
    else:
        _tell(verdicts, folder, style_of(sys.stdout))
    return 0 if verdicts and all(exercise_verdict.done for exercise_verdict in verdicts) else 1


def _exercises(options: Namespace, folder: Path) -> list[Exercise]:
    """Return the exercise that was named, or all that are begun."""
    if options.exercise:
        exercise = exercise_named(options.exercise)
        if not (path := folder / exercise.filename).exists():
            raise no_file(path, exercise)
        return [exercise]
    verdicts = (
        exercise_verdict
        for exercise_verdict in statuses(folder, track_of(options))
        if exercise_verdict.state is not State.NOT_STARTED
    )
    return [exercises()[exercise_verdict.slug] for exercise_verdict in verdicts]


def _tell(verdicts: list[ExerciseVerdict], folder: Path, style: Style) -> None:
    if not verdicts:
        print(none_started(folder))
        return
    for exercise_verdict in verdicts:
        print(*_failure(exercise_verdict, style), sep="\n", end="")
    left = any(not exercise_verdict.done for exercise_verdict in verdicts)
    ahead = outlook(folder, verdicts if left else list(statuses(folder, exercises())))
    brief_outlook = replace(
        ahead, next=_without_failure(ahead.next) if ahead.next in verdicts else ahead.next
    )
    print(*board(verdicts, exercises(), folder, style, brief_outlook), sep="\n")
    first = ahead.next.first_wrong if ahead.next in verdicts else None
    if ahead.next and first and ahead.next.beside(first):
        short = exercises()[ahead.next.slug].short
        more = (
            f"`kata call {short} --list` lists every claim that does not hold; "
            f"`kata hint {short}` gives a hint"
        )
        print(*style.wrap(more), sep="\n")


def _failure(exercise_verdict: ExerciseVerdict, style: Style) -> Iterator[str]:
    """Show the first claim that fails, under a heading; nothing if none does."""
    failed = exercise_verdict.first_wrong
    if failed and failed.message:
        head = (
            exercise_verdict.slug
            if exercise_verdict.is_whole
            else f"{exercises()[exercise_verdict.slug].short} {failed.name}"
        )
        yield style.paint(head, "bold", "red")
        yield message(
            failed.message, style, exercise_verdict.diagnosis, exercise_verdict.beside(failed)
        )
        yield from [*prints(exercise_verdict), "", ""]


def _without_failure(exercise_verdict: ExerciseVerdict | None) -> ExerciseVerdict | None:
    """Return the verdict for a board that stands below the failure in full."""
    if exercise_verdict is None:
        return None
    claim_verdict = exercise_verdict.first_wrong
    claims = (
        replace(claim, message=replace(claim.message, claim="", evidence=""))
        if claim is claim_verdict and claim.message
        else claim
        for claim in exercise_verdict.claims
    )
    return replace(exercise_verdict, claims=tuple(claims))
