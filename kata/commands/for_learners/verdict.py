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
from kata.commands.common import add_folder, chosen, folder_of, no_file, none_started
from kata.course.curriculum import Exercise, exercises
from kata.course.naming import exercise_named
from kata.judging.limits import TIME_LIMIT
from kata.learner.headline import prints
from kata.learner.outlook import outlook
from kata.learner.status import known
from kata.learner.waiting_judge import FORKS, judged_now
from kata.terminal.board import board
from kata.terminal.message import message
from kata.terminal.style import Style, style_of
from kata.verdict import ExerciseVerdict, State

MANY = 3  # exercises for which one process that imports torch, and is forked, is faster


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", nargs="?", help="ex05; by default all that you have begun")
    add_folder(parser)
    parser.add_argument("--json", action="store_true", help="for other programs")
    parser.add_argument(
        "--timeout", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for one claim"
    )


def run(options: Namespace) -> int:
    """Judge in course order, because an exercise that passes serves the later ones."""
    folder = folder_of(options)
    wanted = _wanted(options, folder)
    forks = FORKS and len(wanted) >= MANY
    found = [
        judged_now(folder, each, forks=forks, limit=options.timeout, goes_on=True)
        for each in wanted
    ]
    if options.json:
        print(document({"exercises": [verdict(each, folder) for each in found]}))
    else:
        _tell(found, folder, style_of(sys.stdout))
    return 0 if found and all(each.done for each in found) else 1


def _wanted(options: Namespace, folder: Path) -> list[Exercise]:
    """The one that was named; else all that are begun."""
    if options.exercise:
        exercise = exercise_named(options.exercise)
        if not (path := folder / exercise.filename).exists():
            raise no_file(path, exercise)
        return [exercise]
    begun = (each for each in known(folder, chosen(options)) if each.state is not State.NOT_STARTED)
    return [exercises()[each.slug] for each in begun]


def _tell(found: list[ExerciseVerdict], folder: Path, style: Style) -> None:
    if not found:
        print(none_started(folder))
        return
    for each in found:
        print(*_failure(each, style), sep="\n", end="")
    left = any(not each.done for each in found)
    ahead = outlook(folder, found if left else list(known(folder, exercises())))
    shown = replace(ahead, next=_told(ahead.next) if ahead.next in found else ahead.next)
    print(*board(found, exercises(), folder, style, shown), sep="\n")
    first = ahead.next.first_wrong if ahead.next in found else None
    if ahead.next and first and ahead.next.beside(first):
        short = exercises()[ahead.next.slug].short
        more = (
            f"`kata call {short} --list` lists every claim that does not hold; "
            f"`kata hint {short}` gives a hint"
        )
        print(*style.wrap(more), sep="\n")


def _failure(found: ExerciseVerdict, style: Style) -> Iterator[str]:
    """The first claim that fails, under a heading; nothing if none does."""
    failed = found.first_wrong
    if failed and failed.message:
        head = found.slug if found.is_whole else f"{exercises()[found.slug].short} {failed.name}"
        yield style.paint(head, "bold", "red")
        yield message(failed.message, style, found.diagnosis, found.beside(failed))
        yield from [*prints(found), "", ""]


def _told(found: ExerciseVerdict | None) -> ExerciseVerdict | None:
    """For the board: what fails stands above."""
    if found is None:
        return None
    shown = found.first_wrong
    claims = (
        replace(each, message=replace(each.message, claim="", evidence=""))
        if each is shown and each.message
        else each
        for each in found.claims
    )
    return replace(found, claims=tuple(claims))
