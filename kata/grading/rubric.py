"""What known mistakes cost: by default the price of their class, or what an instructor says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.course.naming import did_you_mean, exercise_named
from kata.course.shares import PRICES, part
from kata.course.shares import price as usual_price
from kata.errors import UserError
from kata.files import read_toml
from kata.text import shown
from kata.verdict import Mistake
from kata.words import say

MOST_POINTS = 1_000_000  # for an exercise, a proof or a mistake
Price = str | float  # a class of mistakes, or points


@dataclass(frozen=True)
class Rubric:
    """The prices that an instructor has set, by exercise and mistake."""

    own: Mapping[tuple[str, str], Price] = field(default_factory=dict)

    def cost(
        self, slug: str, mistakes: Sequence[Mistake], most: float, claims: Mapping[str, float]
    ) -> float:
        """The points that mistakes cost which cannot be told apart: the cheapest of them.

        Args:
            slug: of the exercise.
            mistakes: which of them it is, nobody can say.
            most: the points of the exercise.
            claims: what those claims of each function are worth that fail by them.
        """
        if not claims:
            return 0.0
        return min(self._cost(slug, each, most, claims) for each in mistakes)

    def _cost(self, slug: str, mistake: Mistake, most: float, claims: Mapping[str, float]) -> float:
        """An instructor's price counts as it is; a usual one is at most what the claims cost.

        So is any class of prices in a function that only fails because another one does.
        """
        own = self.own.get((slug, mistake.slug))
        if isinstance(own, float):
            return min(own, most)
        if not (own or mistake.price):
            return sum(claims.values())
        price = most * PRICES[own or mistake.price]
        total = 0.0
        for function, points in claims.items():
            wanted = price * part(exercises()[slug], function)
            total += wanted if own and function == mistake.function else min(wanted, points)
        return total


USUAL = Rubric()


def rubric(path: Path) -> Rubric:
    """The prices in a file: a table for each exercise, with a line for each mistake."""
    own: dict[tuple[str, str], Price] = {}
    for name, table in table_in(path).items():
        exercise = exercise_named(name)
        if not isinstance(table, dict):
            raise UserError(say("grading.no-prices", path=path, name=shown(name)))
        own |= {(exercise.slug, slug): price for slug, price in _prices(path, exercise, table)}
    return Rubric(own)


def table_in(path: Path) -> dict[str, Any]:
    """The TOML table in a file that an instructor wrote; a UserError if it cannot be read."""
    try:
        return read_toml(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(say("grading.no-table", path=path, reason=reason)) from None


def is_worth(value: object) -> bool:
    """Whether it is a number of points that something may give or cost."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= MOST_POINTS


def _prices(
    path: Path, exercise: Exercise, table: Mapping[str, object]
) -> Iterator[tuple[str, Price]]:
    known = {each.slug: each for each in bugs(exercise)}
    for slug, price in table.items():
        if slug not in known:
            close = did_you_mean(slug, [*known])
            text = say(
                "grading.no-mistake", path=path, name=shown(slug), short=exercise.short, close=close
            )
            raise UserError(text)
        if price == usual_price(exercise, known[slug]):  # as `--write-rubric` writes it
            continue
        if isinstance(price, str) and price in PRICES:
            yield slug, price
        elif isinstance(price, int | float) and is_worth(price):
            yield slug, float(price)
        else:
            about = {"path": path, "name": slug, "value": shown(repr(price))}
            raise UserError(say("grading.no-price", **about, classes=", ".join(PRICES)))
