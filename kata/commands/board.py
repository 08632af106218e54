"""Show what is done, in progress and not started, without running anything."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kata.commands.as_json import document, standing
from kata.commands.common import add_folder, folder_of, track_of
from kata.course.curriculum import exercises
from kata.learner.proofs import standings
from kata.learner.status import origins, outlook, statuses
from kata.terminal.board import Outlook, board
from kata.terminal.style import style_of
from kata.verdict import ExerciseVerdict


def arguments(parser: ArgumentParser) -> None:
    add_folder(parser)
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print the board; return 0 if everything is done, else 1."""
    folder = folder_of(options)
    verdicts = list(statuses(folder, track_of(options)))
    ahead = outlook(folder, verdicts)
    if options.json:
        print(document(_content(verdicts, folder, ahead)))
    else:
        where, style = origins(folder, track_of(options)), style_of(sys.stdout)
        tests = standings(folder)
        print(*board(verdicts, track_of(options), folder, style, ahead, where, tests), sep="\n")
    return 0 if all(verdict.done for verdict in verdicts) else 1


def _content(verdicts: Sequence[ExerciseVerdict], folder: Path, ahead: Outlook) -> dict[str, Any]:
    of_core, of_course = ({"done": n, "of": of} for n, of in (ahead.core, ahead.course))
    return {
        "exercises": [_row(verdict, folder) for verdict in verdicts],
        "next": ahead.next and ahead.next.slug,
        "core": of_core,
        "course": of_course,
    }


def _row(verdict: ExerciseVerdict, folder: Path) -> dict[str, Any]:
    mistakes = [mistake.slug for mistake in verdict.mistakes]
    return {
        **standing(verdict, folder),
        "mistakes": mistakes,
        "core": exercises()[verdict.slug].core,
    }
