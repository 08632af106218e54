"""Give a hint, one more each time; about the mistake that was recognised, where one was."""

import sys
from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, chosen, folder_of, text_of
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.learner.hints import hints_for, told
from kata.learner.progress import Progress
from kata.learner.status import known
from kata.learner.waiting_judge import judged
from kata.terminal.style import style_of
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("exercise", nargs="?", help="ex05; the next open one without it")
    add_folder(parser)


def run(options: Namespace) -> int:
    """About what fails now: what was changed since it was judged is judged first."""
    folder = folder_of(options)
    exercise = exercise_named(options.exercise) if options.exercise else _next(options)
    if exercise is None:
        print(say("commands.all-done"))
        return 0
    source = text_of(folder, exercise)
    found = judged(folder, exercise)
    if found.done:
        print(say("commands.hint.none", slug=exercise.slug))
        return 0
    hints = hints_for(exercise, found, source)
    print(*told(Progress(folder), exercise, hints, style_of(sys.stdout)), sep="\n")
    return 0


def _next(options: Namespace) -> Exercise | None:
    """The first that is not done, as far as is known."""
    exercises = chosen(options)
    verdicts = known(folder_of(options), exercises)
    return next((exercises[each.slug] for each in verdicts if not each.done), None)
