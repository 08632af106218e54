"""Ten minutes of hunts and one proof, drawn from what you got wrong, and spaced out over days.

It can be left at any time; nothing reminds you of it.
"""

import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import date
from pathlib import Path

from kata.commands.common import add_folder, ask, folder_of
from kata.terminal.style import style_of
from kata.text import clean


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--minutes", type=_minutes, default=10, help="about how long; default: 10")
    add_folder(parser)


def _minutes(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError("expected a number of minutes, 1 or more")
    return int(text)


def run(options: Namespace) -> int:
    """Ask until the time is over, or the reader leaves."""
    folder, today = folder_of(options), date.today()
    print(f"About {options.minutes} minutes; q leaves at any time, and nothing is lost.")
    try:
        right, count, left = _hunts(folder, today, options.minutes)
    except KeyboardInterrupt:
        print()
        return 0
    if count:
        print(
            f"\nHunts: {right} of {count} right. "
            "What was wrong returns tomorrow, what was right in some days."
        )
    if not left:
        _suggest(folder, today, asked=bool(count))
    return 0


def _hunts(folder: Path, today: date, minutes: int) -> tuple[int, int, bool]:
    """Ask; return how many answers were right, of how many, and whether the reader left."""
    # Late, because it imports numpy.
    from kata.practice.choice import hunts
    from kata.practice.hunting import note_answer
    from kata.practice.memory import Memory
    from kata.practice.questions import answers, prompt, question, reply

    memory, style = Memory(folder), style_of(sys.stdout)
    right, count, end = 0, 0, time.monotonic() + 60 * minutes
    for hunt in hunts(folder, memory, today):
        if time.monotonic() > end:
            break
        print("", *question(hunt, style), sep="\n")
        if not (answer := ask(prompt(hunt), answers(hunt))):
            return right, count, True
        print(*reply(hunt, answer, style), sep="\n")
        count, right = count + 1, right + (answer == hunt.right)
        note_answer(memory, hunt, answer, today)
    return right, count, False


def _suggest(folder: Path, today: date, *, asked: bool) -> None:
    """Suggest one proof, if one is due; and say so if nothing at all is."""
    from kata.practice.choice import proof
    from kata.practice.memory import Memory

    memory = Memory(folder)
    if exercise := proof(folder, memory, today):
        print(
            f"And one proof: kata prove {exercise.short} "
            f"(tests of your own for {exercise.slug}, tried on wrong answers)."
        )
        memory.note_proof(exercise.slug, today)
        memory.save()
    elif not asked:
        nothing = (
            "Practice draws on the exercises that you have begun, "
            f"and there are none in {folder} yet."
        )
        print("Nothing is due today." if memory.hunts() else clean(nothing))
