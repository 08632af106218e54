"""Show your code of one exercise, as it is now, to the leader of the room that you have joined.

Nobody else sees it. Later changes are not shown; --stop takes it back.
"""

from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of, source_of
from kata.course.curriculum import exercise_named
from kata.errors import UserError
from kata.live.attending import share


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", nargs="?", help="ex05, or ex05_causal_masks")
    parser.add_argument("--stop", action="store_true", help="show nothing any more")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Show it, or take it back."""
    folder = folder_of(options)
    if not (options.exercise or options.stop):
        raise UserError(
            "say which exercise: `kata share ex05`; `kata share --stop` takes back what is shown"
        )
    exercise = exercise_named(options.exercise or "ex01")
    text = "" if options.stop else source_of(folder, exercise).text
    print(share(folder, exercise.slug, text))
    return 0
