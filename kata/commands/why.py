"""Say why an exercise exists, with numbers that show what breaks without the piece.

The numbers are computed with the reference.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from textwrap import wrap

from kata.commands.as_json import document
from kata.course.curriculum import Exercise, exercise_named
from kata.course.reasons import Reason, measured, reason
from kata.errors import UserError
from kata.terminal.style import Style, style_of


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", help="ex04, or ex04_scaled_attention")
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print the reason, or fail if nothing is written about this exercise."""
    exercise = exercise_named(options.exercise)
    purpose = reason(exercise)
    if purpose is None:
        raise UserError(f"nothing is written about {exercise.slug} yet")
    if options.json:
        print(document(_content(exercise, purpose)))
    else:
        print(*_paragraphs(exercise, purpose, style_of(sys.stdout)), sep="\n")
    return 0


def _paragraphs(exercise: Exercise, purpose: Reason, style: Style) -> Iterator[str]:
    yield style.paint(f"{exercise.slug}: {exercise.title}", "bold")
    for paragraph in purpose.paragraphs:
        yield from ("", *wrap(paragraph, style.width))
    yield from ("", style.paint("In numbers, computed with the reference:", "bold"))
    for sentence, numbers in measured(exercise):
        yield from style.wrap(f"{sentence}: {numbers}", 2)
    yield from ("", *style.wrap(purpose.to_read_on))


def _content(exercise: Exercise, purpose: Reason) -> dict[str, object]:
    return {
        "exercise": exercise.slug,
        "why": purpose.paragraphs,
        "numbers": [{"of": sentence, "are": numbers} for sentence, numbers in measured(exercise)],
        "reading": purpose.reading,
    }
