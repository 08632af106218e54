"""Around the message of a verdict: the line above it in `kata watch`, and what was printed."""

import time
from collections.abc import Iterator

from kata.judging.limits import LONGEST_OUTPUT
from kata.terminal.board import standing
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, State

MOST_LINES = 10  # of the learner's own prints: the message above them should stay in sight


def headline(found: ExerciseVerdict, seconds: float, style: Style) -> str:
    """With the time of day and how long it took, if there is room for them."""
    every = list(_headlines(found, seconds, style))
    fitting = next((each for each in every if len(each) <= style.width), every[-1])
    return style.paint(fitting, "bold", _colour(found))


def _colour(found: ExerciseVerdict) -> str:
    """What is not written yet is not wrong."""
    if found.done:
        return "green"
    return "yellow" if found.in_work or found.state is State.NOT_STARTED else "red"


def _headlines(found: ExerciseVerdict, seconds: float, style: Style) -> Iterator[str]:
    """From the longest to the shortest."""
    state = State.SKIPPED if found.in_work else found.state
    mark = style.marks.get(state, style.marks[State.FAILED])
    full, now = standing(found), time.strftime("%H:%M:%S")
    for status in (full, full.split(",")[0]):
        head = f"{mark} {found.slug}: {status}"
        yield f"{now}  {head}  ({seconds:.2f} s)"
        yield head


def prints(found: ExerciseVerdict) -> list[str]:
    """What the failing call has printed: its end, if it is long."""
    if not (printed := found.printed.strip()):
        return []
    lines = printed[-LONGEST_OUTPUT:].splitlines()[-MOST_LINES:]
    whole = len("\n".join(lines)) == len(printed)
    return ["printed by this call:" if whole else "printed by this call, at its end:", *lines]
