"""Give a hint, one more each time, about your own mistake if it was recognised."""

import sys
from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, chosen, folder_of, source_of
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.learner.hints import hints_for, told
from kata.learner.outlook import outlook
from kata.learner.progress import Progress
from kata.learner.status import known
from kata.learner.waiting_judge import judged
from kata.terminal.style import style_of
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", nargs="?", help="ex05; by default the one that failed last")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Print hints about what fails now: a file that changed is judged again first."""
    folder = folder_of(options)
    exercise = exercise_named(options.exercise) if options.exercise else _next(options)
    if exercise is None:
        print(say("commands.all-done"))
        return 0
    source = source_of(folder, exercise)
    found = judged(folder, exercise)
    if found.done:
        print(say("commands.hint.none", slug=exercise.slug))
        return 0
    hints = hints_for(exercise, found, source)
    print(*told(Progress(folder), exercise, hints, style_of(sys.stdout)), sep="\n")
    return 0


def _next(options: Namespace) -> Exercise | None:
    """What was worked on last, or is open; nothing if all is done."""
    folder, exercises = folder_of(options), chosen(options)
    first = outlook(folder, list(known(folder, exercises))).next
    return exercises[first.slug] if first else None
