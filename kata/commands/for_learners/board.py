"""Show what is done, in progress and not started, without running anything."""

import json
import sys
from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, chosen, folder_of
from kata.learner.outlook import outlook
from kata.learner.status import known
from kata.terminal.board import board
from kata.terminal.style import style_of
from kata.verdict import ExerciseVerdict


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    add_folder(parser)
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print the board; return 0 if everything is done, else 1."""
    folder = folder_of(options)
    verdicts = list(known(folder, chosen(options)))
    if options.json:
        print(json.dumps([_row(each) for each in verdicts], indent=2))
    else:
        ahead = outlook(folder, verdicts)
        print(*board(verdicts, chosen(options), folder, style_of(sys.stdout), ahead), sep="\n")
    return 0 if all(each.done for each in verdicts) else 1


def _row(verdict: ExerciseVerdict) -> dict[str, object]:
    return {
        "exercise": verdict.slug,
        "state": verdict.state.value if verdict.claims else "not judged",
        "held": verdict.held,
        "claims": len(verdict.judged),
        "line": verdict.line,
        "mistakes": [each.slug for each in verdict.mistakes],
    }
