"""How wrong answers fared in training: `losses.json`, which `kata.upkeep.hunts.losses` records.

An answer ends at the right one's loss if its last point is no higher than the highest of the right
one's runs, which differ in their seed alone, to two decimals. It is hidden by training if that is
true of every point on the way, too.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.hunts.places import without_docstrings

FILE = Path(__file__).with_name("losses.json")
DECIMALS = 2
STEPS = 120  # of a run
VOCABULARY = 8  # of the task: guessing costs its logarithm

Curve = tuple[float, ...]


@dataclass(frozen=True)
class Losses:
    """The curves of one exercise.

    Attributes:
        right: of the solution, a run for each seed.
        accepted: of right answers in other styles, by their names.
        wrong: of wrong answers that trained to the end, by their slugs.
        stopped: how the others ended: the name of an error, or that the loss was not finite.
    """

    right: tuple[Curve, ...]
    accepted: Mapping[str, Curve]
    wrong: Mapping[str, Curve]
    stopped: Mapping[str, str]

    @property
    def trained(self) -> int:
        """How many wrong answers were tried."""
        return len(self.wrong) + len(self.stopped)

    @cached_property
    def highest(self) -> Curve:
        """The highest of the right runs at each point."""
        return tuple(max(points) for points in zip(*self.right, strict=True))

    def ends_there(self, curve: Curve) -> bool:
        """Whether its last point is one that a right answer may have."""
        return _no_higher(curve[-1], self.highest[-1])

    def is_hidden(self, curve: Curve) -> bool:
        """Whether no point of it is higher than a right answer's may be."""
        return all(map(_no_higher, curve, self.highest))

    @cached_property
    def there(self) -> dict[str, Curve]:
        """The wrong answers that end at the right one's loss."""
        return {slug: each for slug, each in self.wrong.items() if self.ends_there(each)}

    @cached_property
    def hidden(self) -> dict[str, Curve]:
        """The wrong answers that training hides from its first point to its last."""
        return {slug: each for slug, each in self.wrong.items() if self.is_hidden(each)}


def _no_higher(mine: float, theirs: float) -> bool:
    return round(mine, DECIMALS) <= round(theirs, DECIMALS)


def not_passed(named: Exercise | None) -> str:
    """Why the code of an exercise, or of any that was trained, is not shown."""
    if named:
        return f"{named.slug} is not passed yet: the code would show lines of its solution"
    return "hunts by loss come from ex06, ex09 and ex14, once you have passed one of them"


@cache
def losses() -> Mapping[str, Losses]:
    """What is recorded, by exercise."""
    table = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return {slug: _losses(entry) for slug, entry in table.items()}


def losses_of(exercise: Exercise) -> Losses | None:
    """What is recorded of this exercise; nothing if its catalogue has changed since."""
    known = losses().get(exercise.slug)
    return known if known and recorded_of(exercise) == digest(exercise) else None


def recorded_of(exercise: Exercise) -> str:
    """The digest of what was recorded; empty if nothing was."""
    table = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return str(table.get(exercise.slug, {}).get("of", ""))


def digest(exercise: Exercise) -> str:
    """Of the changes and the code that the curves depend on; texts make no difference."""
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
