"""Around the message of a verdict: the line above it in `kata watch`, and what was printed."""

import time
from collections.abc import Iterator

from kata.judging.limits import LONGEST_OUTPUT
from kata.terminal.board import standing
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, State

MOST_LINES = 10  # of the learner's own prints: the message above them should stay in sight


def headline(verdict: ExerciseVerdict, seconds: float, style: Style) -> str:
    """The headline, with the time of day and how long it took, if there is room for them."""
    every = list(_headlines(verdict, seconds, style))
    fitting = next((headline for headline in every if len(headline) <= style.width), every[-1])
    return style.paint(fitting, "bold", _colour(verdict))


def _colour(verdict: ExerciseVerdict) -> str:
    """What is not written yet is not wrong."""
    if verdict.done:
        return "green"
    return "yellow" if verdict.in_work or verdict.state is State.NOT_STARTED else "red"


def _headlines(verdict: ExerciseVerdict, seconds: float, style: Style) -> Iterator[str]:
    """The headlines to choose from, the longest first."""
    state = State.SKIPPED if verdict.in_work else verdict.state
    mark = style.marks.get(state, style.marks[State.FAILED])
    full, now = standing(verdict), time.strftime("%H:%M:%S")
    for status in (full, full.split(",")[0]):
        head = f"{mark} {verdict.slug}: {status}"
        yield f"{now}  {head}  ({seconds:.2f} s)"
        yield head


def prints(verdict: ExerciseVerdict) -> list[str]:
    """What the failing call has printed: its end, if it is long."""
    if not (printed := verdict.printed.strip()):
        return []
    lines = printed[-LONGEST_OUTPUT:].splitlines()[-MOST_LINES:]
    whole = len("\n".join(lines)) == len(printed)
    return ["printed by this call:" if whole else "printed by this call, at its end:", *lines]
