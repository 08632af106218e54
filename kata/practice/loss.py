"""Hunts by loss: a piece of code and the loss that it trains to, which falls. Is the code right?"""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from kata.course.catalogue import Bug, bugs, changed, wrong_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read, tree_of
from kata.practice.evidence import part, place, tops, without_docstrings

RIGHT, WRONG = "right", "wrong"
BLOCKS, PLAIN_BLOCKS = "▁▂▃▄▅▆▇█", "_.-=+*%#"
FILE = Path(__file__).with_name("losses.json")
DECIMALS = 2
STEPS = 120  # of a run
VOCABULARY = 8  # of the task: guessing costs its logarithm
Curve = tuple[float, ...]


@dataclass(frozen=True)
class Losses:
    """The curves of one exercise.

    Attributes:
        right: of the solution, a run for every seed.
        accepted: of right answers in other styles, by their names.
        wrong: of wrong answers that trained to the end, by their slugs.
        stopped: the end of the others: the name of an error, or that the loss was not finite.
    """

    right: tuple[Curve, ...]
    accepted: Mapping[str, Curve]
    wrong: Mapping[str, Curve]
    stopped: Mapping[str, str]

    @property
    def trained(self) -> int:
        """The number of wrong answers that were tried."""
        return len(self.wrong) + len(self.stopped)

    @cached_property
    def highest(self) -> Curve:
        """The highest of the right runs at every point."""
        return tuple(max(points) for points in zip(*self.right, strict=True))

    def ends_there(self, curve: Curve) -> bool:
        """Return whether a right answer may have its last point."""
        return _no_higher(curve[-1], self.highest[-1])

    def is_hidden(self, curve: Curve) -> bool:
        """Return whether no point of it is higher than a right answer's may be."""
        return all(map(_no_higher, curve, self.highest))

    @cached_property
    def there(self) -> dict[str, Curve]:
        """The wrong answers that end at the right one's loss."""
        return {slug: curve for slug, curve in self.wrong.items() if self.ends_there(curve)}

    @cached_property
    def hidden(self) -> dict[str, Curve]:
        """The wrong answers that training hides from its first point to its last."""
        return {slug: curve for slug, curve in self.wrong.items() if self.is_hidden(curve)}


@dataclass(frozen=True)
class Loss:
    """A hunt that asks whether the code is right.

    Attributes:
        exercise: that it belongs to.
        bug: the mistake in the code; None if it is right.
        code: the function or class.
        curve: its loss on the way.
        losses: all that are recorded of the exercise.
    """

    exercise: Exercise
    bug: Bug | None
    code: str
    curve: Curve
    losses: Losses

    @property
    def right(self) -> str:
        """The right answer."""
        return WRONG if self.bug else RIGHT


def loss(exercise: Exercise, bug: Bug) -> Loss | None:
    """Return the hunt with this mistake; None if training does not hide it."""
    losses = losses_of(exercise)
    if losses is None or bug.slug not in losses.there or not (name := place(exercise, bug)):
        return None
    code = _code(wrong_answer(exercise, bug), name)
    return Loss(exercise, bug, code, losses.wrong[bug.slug], losses)


def some_loss(exercise: Exercise, seed: int) -> Loss | None:
    """Return a hunt with code that is as likely right as wrong."""
    losses, drawn = losses_of(exercise), Random(f"{exercise.slug} {seed}")
    if losses is None:
        return None
    if drawn.random() < 0.5:
        return _right(exercise, losses, drawn)
    hidden = [bug for bug in bugs(exercise) if bug.slug in losses.there]
    drawn.shuffle(hidden)
    return next(filter(None, (loss(exercise, bug) for bug in hidden)), None)


def no_loss(exercise: Exercise) -> str:
    """Return the message where there is no hunt."""
    return f"{exercise.slug} has no curves: those that were trained are ex06, ex09 and ex14"


def _right(exercise: Exercise, losses: Losses, drawn: Random) -> Loss:
    """The reference, or a right answer in another style, which may look wrong to somebody."""
    texts = {path.stem: read(path).text for path in sorted(exercise.accepted.glob("*.py"))}
    fit = {name for name, text in texts.items() if _is_one_piece(text)}
    curves = {"": losses.right[0], **losses.accepted}
    chosen = drawn.choice([name for name in curves if not name or name in fit])
    text, (name, *_) = texts.get(chosen, changed(exercise)), tops(changed(exercise))
    return Loss(exercise, None, _code(text, name), curves[chosen], losses)


def _is_one_piece(text: str) -> bool:
    """Whether it can be understood from its one function or class alone."""
    kinds = [type(statement) for statement in tree_of(text).body]
    return len(tops(text)) == 1 and not {ast.Assign, ast.AnnAssign} & {*kinds}


def _code(text: str, name: str) -> str:
    return without_docstrings(part(text, tops(text)[name]))


def drawn_curve(values: Sequence[float], *, unicode: bool = True) -> str:
    """Draw a character for every point, from nothing to the highest."""
    blocks = BLOCKS if unicode else PLAIN_BLOCKS
    high = max(values) or 1.0
    return "".join(blocks[round((len(blocks) - 1) * value / high)] for value in values)


def _no_higher(mine: float, theirs: float) -> bool:
    return round(mine, DECIMALS) <= round(theirs, DECIMALS)


def not_passed(named: Exercise | None) -> str:
    """Return why the code of an exercise, or of any that was trained, is not there to see."""
    if named:
        return f"{named.slug} is not passed yet: the code would show lines of its solution"
    return "hunts by loss come from ex06, ex09 and ex14, once you have passed one of them"


@cache
def losses() -> Mapping[str, Losses]:
    """Return the recorded losses by exercise."""
    return {slug: _losses(entry) for slug, entry in _table().items()}


def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return table


def losses_of(exercise: Exercise) -> Losses | None:
    """Return the losses of this exercise; None if its catalogue has changed since."""
    recorded = losses().get(exercise.slug)
    if recorded and _table().get(exercise.slug, {}).get("of") == digest(exercise):
        return recorded
    return None


def digest(exercise: Exercise) -> str:
    """Return a digest of the changes and the code that the curves depend on, without texts."""
    needed = [exercises()[need].solution for need in exercise.needs if need in exercises()]
    texts = [path.read_text(encoding="utf-8") for path in (exercise.solution, *needed)]
    changes = [(bug.slug, bug.change) for bug in bugs(exercise)]
    return sha256(repr([*map(without_docstrings, texts), changes]).encode()).hexdigest()[:16]


def _losses(entry: Mapping[str, Any]) -> Losses:
    wrong = entry["wrong"]
    return Losses(
        tuple(map(tuple, entry["right"])),
        {name: tuple(value) for name, value in entry["accepted"].items()},
        {slug: tuple(value) for slug, value in wrong.items() if not isinstance(value, str)},
        {slug: value for slug, value in wrong.items() if isinstance(value, str)},
    )
