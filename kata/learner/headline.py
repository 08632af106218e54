"""The line with a verdict in `kata watch`: as much as fits on one line."""

import time
from collections.abc import Iterator

from kata.terminal.board import standing
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, State
from kata.words import say


def headline(found: ExerciseVerdict, seconds: float, style: Style) -> str:
    """With the time of day and how long it took, if there is room for them."""
    every = list(_headlines(found, seconds, style))
    fitting = next((each for each in every if len(each) <= style.width), every[-1])
    return style.paint(fitting, "bold", "green" if found.done else "red")


def _headlines(found: ExerciseVerdict, seconds: float, style: Style) -> Iterator[str]:
    """From the longest to the shortest."""
    state = State.SKIPPED if found.in_work else found.state
    mark = style.marks.get(state, style.marks[State.FAILED])
    full, now = standing(found), time.strftime("%H:%M:%S")
    for each in (full, full.split(",")[0]):
        head = say("learner.watch.head", mark=mark, slug=found.slug, standing=each)
        yield say("learner.watch.timed", time=now, head=head, seconds=seconds)
        yield head
