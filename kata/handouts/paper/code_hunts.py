"""Wrong code to look at together, in the instructor's book alone: its other lines are right."""

from collections.abc import Iterator
from itertools import islice

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.source import read
from kata.handouts.marked import capital, marked
from kata.handouts.paper.typesetting import Data
from kata.hunts.line import line
from kata.hunts.loss import loss
from kata.hunts.losses import STEPS, losses_of
from kata.hunts.places import without_docstrings

LINES, LOSSES = 2, 1  # hunts of each form in a chapter
LONGEST = 26  # lines of code


def code_hunts(exercise: Exercise) -> list[Data]:
    """Functions that are wrong in one place, and one with a loss that falls."""
    by_line, by_loss = _by_line(exercise), _by_loss(exercise)
    lines = dict(islice(by_line, LINES))
    losses = ((slug, hunt) for slug, hunt in by_loss if slug not in lines)
    return [*lines.values(), *(hunt for _, hunt in islice(losses, LOSSES))]


def _by_line(exercise: Exercise) -> Iterator[tuple[str, Data]]:
    solution = read(exercise.solution).text
    for bug in _traps_first(exercise):
        if hunt := line(exercise, bug, solution):
            asked = f"`{hunt.name}` is wrong in one place: which?"
            yield from _fitting(bug, asked, without_docstrings(hunt.shown))


def _by_loss(exercise: Exercise) -> Iterator[tuple[str, Data]]:
    losses = losses_of(exercise)
    hidden = losses.there if losses else {}
    for bug in _traps_first(exercise):
        if bug.slug in hidden and (hunt := loss(exercise, bug)):
            first, last = hunt.curve[0], hunt.curve[-1]
            asked = (
                "Trained to say the token before each one, "
                f"its loss falls from {first:.2f} to {last:.2f} in {STEPS} steps. Is it right?"
            )
            yield from _fitting(bug, asked, hunt.code)


def _fitting(bug: Bug, asked: str, code: str) -> Iterator[tuple[str, Data]]:
    """A hunt that fits, with its slug; without comments, of which a wrong line often has none."""
    lines = [text.partition("  #")[0] for text in code.splitlines() if text.strip()]
    if len(lines) <= LONGEST:
        answer = marked(f"{capital(bug.title)}. {bug.why}")
        yield bug.slug, {"asked": marked(asked), "code": "\n".join(lines), "answer": answer}


def _traps_first(exercise: Exercise) -> list[Bug]:
    return sorted(bugs(exercise), key=lambda bug: (bug.level != 1, not bug.is_real))
