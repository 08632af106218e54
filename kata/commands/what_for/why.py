"""Say why an exercise exists, with numbers that show what breaks without the piece.

The numbers are computed with the reference.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from textwrap import wrap

from kata.commands.as_json import document
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.terminal.style import Style, style_of
from kata.why.experiment import measured
from kata.why.reasons import Reason, reason


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", help="ex04, or ex04_scaled_attention")
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print the reason; 2 if nothing is written about this exercise."""
    exercise = exercise_named(options.exercise)
    found = reason(exercise)
    if found is None:
        raise UserError(f"nothing is written about {exercise.slug} yet")
    if options.json:
        print(document(_content(exercise, found)))
    else:
        print(*_told(exercise, found, style_of(sys.stdout)), sep="\n")
    return 0


def _told(exercise: Exercise, found: Reason, style: Style) -> Iterator[str]:
    yield style.paint(f"{exercise.slug}: {exercise.title}", "bold")
    for paragraph in found.paragraphs:
        yield from ("", *wrap(paragraph, style.width))
    yield from ("", style.paint("In numbers, computed with the reference:", "bold"))
    for sentence, numbers in measured(exercise):
        yield from style.wrap(f"{sentence}: {numbers}", 2)
    yield from ("", *style.wrap(found.to_read_on))


def _content(exercise: Exercise, found: Reason) -> dict[str, object]:
    return {
        "exercise": exercise.slug,
        "why": found.paragraphs,
        "numbers": [{"of": sentence, "are": numbers} for sentence, numbers in measured(exercise)],
        "reading": found.reading,
    }
