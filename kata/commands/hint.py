"""Give a hint, one more each time, about your own mistake if it was recognised.

With --proof, it is about a wrong answer that your own tests in proofs/ miss. With --json, for other
programs, it counts as well: the next call gives one more.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from kata.commands.as_json import document
from kata.commands.common import add_folder, chosen, folder_of, source_of
from kata.course.curriculum import Exercise, exercise_named
from kata.errors import UserError
from kata.learner.progress import Progress
from kata.learner.status import Hints, hint_lines, hints_for, one_more, outlook, statuses
from kata.learner.waiting_judge import judged
from kata.terminal.style import style_of


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", nargs="?", help="ex05; by default the one that failed last")
    parser.add_argument("function", nargs="?", help="with --proof: about this function of it")
    add_folder(parser)
    parser.add_argument("--proof", action="store_true", help="about your tests in proofs/")
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print hints about what fails now: a file that changed is judged again first."""
    if options.proof:
        from kata.commands import prove as proof_hints  # few ask for it

        return proof_hints.proof_hints(options)
    if options.function:
        raise UserError(
            "the name of a function goes with --proof: `kata hint --proof ex05 mask_scores`"
        )
    folder = folder_of(options)
    exercise = exercise_named(options.exercise) if options.exercise else _next(options)
    hints = _hints(folder, exercise) if exercise else None
    if options.json:
        print(document(_content(folder, exercise, hints)))
    else:
        _tell(folder, exercise, hints)
    return 0


def _hints(folder: Path, exercise: Exercise) -> Hints | None:
    """Hints about what fails; none if nothing does."""
    source = source_of(folder, exercise)
    verdict = judged(folder, exercise)
    return None if verdict.done else hints_for(exercise, verdict, source)


def _tell(folder: Path, exercise: Exercise | None, hints: Hints | None) -> None:
    if exercise is None:
        print("all claims of all exercises hold")
    elif hints is None:
        print(f"all claims of {exercise.slug} hold: no hint is needed")
    else:
        print(*hint_lines(Progress(folder), exercise, hints, style_of(sys.stdout)), sep="\n")


def _content(folder: Path, exercise: Exercise | None, hints: Hints | None) -> dict[str, Any]:
    """The hints for programs, one more each time."""
    texts, saved = one_more(Progress(folder), exercise, hints) if exercise and hints else ((), True)
    return {
        "exercise": exercise and exercise.slug,
        "about": hints.title if hints else "",
        "hints": list(texts),
        "of": len(hints.texts) if hints else 0,
        "remembered": saved,
    }


def _next(options: Namespace) -> Exercise | None:
    """The exercise that was worked on last, or is open; none if all is done."""
    folder, exercises = folder_of(options), chosen(options)
    first = outlook(folder, list(statuses(folder, exercises))).next
    return exercises[first.slug] if first else None
