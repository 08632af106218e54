"""Give a hint, one more each time, about your own mistake if it was recognised."""

import sys
from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, chosen, folder_of, source_of
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.learner.hints import hints_for, told
from kata.learner.progress import Progress
from kata.learner.status import known
from kata.learner.waiting_judge import judged
from kata.terminal.style import style_of
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument(
        "exercise", nargs="?", help="ex05; by default the next one that is not done"
    )
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
    """The first exercise that is not known to be done."""
    exercises = chosen(options)
    verdicts = known(folder_of(options), exercises)
    return next((exercises[each.slug] for each in verdicts if not each.done), None)
