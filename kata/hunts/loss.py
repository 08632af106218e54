"""A piece of code and the loss that it trains to: the loss falls. Is the code right?

The curve is recorded: the code was really trained. Both kinds are hunted for, and the code is one
of an exercise that is passed.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from kata.course.catalogue import Bug, bugs, changed, wrong_answer
from kata.course.curriculum import Exercise
from kata.course.source import read, tree_of
from kata.hunts.losses import Losses, losses_of
from kata.hunts.places import part, place, tops, without_docstrings

RIGHT, WRONG = "right", "wrong"
BLOCKS, PLAIN_BLOCKS = "▁▂▃▄▅▆▇█", "_.-=+*%#"


@dataclass(frozen=True)
class Loss:
    """A hunt in which one says whether the code is right.

    Attributes:
        exercise: what it belongs to.
        bug: the mistake in the code; None if it is right.
        code: the function or class.
        curve: its loss on the way.
        known: what is recorded of the exercise.
    """

    exercise: Exercise
    bug: Bug | None
    code: str
    curve: tuple[float, ...]
    known: Losses

    @property
    def right(self) -> str:
        """The right answer."""
        return WRONG if self.bug else RIGHT


def loss(exercise: Exercise, bug: Bug) -> Loss | None:
    """The hunt with this mistake; none if training does not hide it."""
    losses = losses_of(exercise)
    if losses is None or bug.slug not in losses.there or not (name := place(exercise, bug)):
        return None
    return Loss(
        exercise, bug, _code(wrong_answer(exercise, bug), name), losses.wrong[bug.slug], losses
    )


def some_loss(exercise: Exercise, seed: int) -> Loss | None:
    """A hunt with code that is right, or not, as likely as each other."""
    losses, drawn = losses_of(exercise), Random(f"{exercise.slug} {seed}")
    if losses is None:
        return None
    if drawn.random() < 0.5:
        return _right(exercise, losses, drawn)
    hidden = [bug for bug in bugs(exercise) if bug.slug in losses.there]
    drawn.shuffle(hidden)
    return next(filter(None, (loss(exercise, bug) for bug in hidden)), None)


def no_loss(exercise: Exercise) -> str:
    """What is said where there is none."""
    return f"{exercise.slug} has no curves: those that were trained are ex06, ex09 and ex14"


def _right(exercise: Exercise, losses: Losses, drawn: Random) -> Loss:
    """The reference, or a right answer in another style, which may look wrong to somebody."""
    texts = {path.stem: read(path).text for path in sorted(exercise.accepted.glob("*.py"))}
    whole = {name: text for name, text in texts.items() if _is_one_piece(text)}
    curves = {"": losses.right[0], **losses.accepted}
    chosen = drawn.choice([name for name in curves if not name or name in whole])
    text, (name, *_) = texts.get(chosen, changed(exercise)), tops(changed(exercise))
    return Loss(exercise, None, _code(text, name), curves[chosen], losses)


def _is_one_piece(text: str) -> bool:
    """Whether it can be understood from its one function or class alone."""
    kinds = [type(statement) for statement in tree_of(text).body]
    return len(tops(text)) == 1 and not {ast.Assign, ast.AnnAssign} & {*kinds}


def _code(text: str, name: str) -> str:
    return without_docstrings(part(text, tops(text)[name]))


def drawn_curve(values: Sequence[float], *, unicode: bool = True) -> str:
    """A character for each point, from nothing to the highest."""
    blocks = BLOCKS if unicode else PLAIN_BLOCKS
    high = max(values) or 1.0
    return "".join(blocks[round((len(blocks) - 1) * value / high)] for value in values)
