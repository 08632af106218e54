"""The points of an exercise: its worth, less the prices of mistakes.

Where mistakes of the catalogue explain everything that fails in a function, they cost their price,
and never more than the claims that fail by them. Anything else costs what its claims are worth; so
does a mistake that left no result to compare. Called by `cli`, `journal`, `options`, `reports`,
`judge` and `kata.upkeep`; it writes nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kata.course.catalogue import PRICES, bugs, part, shares
from kata.course.catalogue import price as usual_price
from kata.course.curriculum import Exercise, did_you_mean, exercise_named, exercises
from kata.course.suite_code import about
from kata.errors import UserError
from kata.grading.tables import read_toml
from kata.marks import Charge, Mark, Scale
from kata.text import printable
from kata.verdict import Diagnosis, ExerciseVerdict, Fit, Mistake, State

DIGITS = 4
MOST_POINTS = 1_000_000  # for an exercise, a proof or a mistake
PERCENT = "percent"
STEP = re.compile(r"(?P<name>[^\s:=](?:.*?[^\s:=])?)[\s:=]+(?P<from>\d+(?:[.,]\d+)?)\s*%?")
Price = str | float  # a class of mistakes, or points
Explained = tuple[tuple[Mistake, ...], Sequence[str]]  # mistakes, and the claims that fail by them


@dataclass(frozen=True)
class Rubric:
    """The prices that an instructor has set, by exercise and mistake."""

    own: Mapping[tuple[str, str], Price] = field(default_factory=dict)

    def cost(
        self, slug: str, mistakes: Sequence[Mistake], most: float, claims: Mapping[str, float]
    ) -> float:
        """Return the points that indistinguishable mistakes cost: those of the cheapest.

        Args:
            slug: of the exercise.
            mistakes: of which nobody can say which one it is.
            most: the points of the exercise.
            claims: by function, the worth of the claims that fail by them.
        """
        if not claims:
            return 0.0
        return min(self._cost(slug, mistake, most, claims) for mistake in mistakes)

    def _cost(self, slug: str, mistake: Mistake, most: float, claims: Mapping[str, float]) -> float:
        """Return the price of a mistake, which is at most the worth of the claims.

        An instructor's own price has no such limit, unless it is a class of prices and the function
        only fails because another one does.
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


def mark(verdict: ExerciseVerdict, most: float, rubric: Rubric = USUAL) -> Mark:
    """Compute the mark for a verdict, out of `most` points."""
    if verdict.is_whole:
        return Mark(0.0, most)
    charges = tuple(_charges(verdict, most, rubric))
    score = max(0.0, most - sum(charge.points for charge in charges))
    rounded = (Charge(charge.mistakes, round(charge.points, DIGITS)) for charge in charges)
    return Mark(round(score, DIGITS), most, tuple(rounded))


def worth(verdict: ExerciseVerdict, claims: Iterable[str]) -> float:
    """Return the share of the points that these claims have together."""
    share = shares(exercises()[verdict.slug])
    return sum(share.get(claim, 0.0) for claim in claims)


def named_mistakes(verdict: ExerciseVerdict) -> list[Explained]:
    """List the mistakes of all diagnoses, without repetitions, in indistinguishable groups."""
    explained: dict[tuple[str, ...], Explained] = {}
    for mistakes in (group for diagnosis in verdict.diagnoses for group in _groups(diagnosis)):
        slugs = tuple(mistake.slug for mistake in mistakes)
        claims = verdict.lost_by([name for mistake in mistakes for name in mistake.explains])
        explained[slugs] = mistakes, [*explained.get(slugs, ((), ()))[1], *claims]
    return [*explained.values()]


def priced_mistakes(verdict: ExerciseVerdict) -> list[tuple[Mistake, ...]]:
    """List the named mistakes that cost a price in at least one function."""
    return [cost.mistakes for cost in _costs(verdict) if cost.priced]


def _groups(diagnosis: Diagnosis) -> list[tuple[Mistake, ...]]:
    if diagnosis.fit is Fit.BOTH:
        return [(mistake,) for mistake in diagnosis.mistakes]
    return [diagnosis.mistakes]


@dataclass(frozen=True)
class _Cost:
    """The cost of indistinguishable mistakes.

    Attributes:
        priced: by function, the worth of the failing claims where a price counts.
        unpriced: the claims that fail where no price does.
    """

    mistakes: tuple[Mistake, ...]
    priced: Mapping[str, float]
    unpriced: Sequence[str]


def _charges(verdict: ExerciseVerdict, most: float, rubric: Rubric) -> Iterator[Charge]:
    for cost in _costs(verdict):
        claims = {function: most * share for function, share in cost.priced.items()}
        points = most * worth(verdict, cost.unpriced)
        points += rubric.cost(verdict.slug, cost.mistakes, most, claims)
        yield Charge(tuple(mistake.slug for mistake in cost.mistakes), points)
    if unexplained := _unexplained(verdict):
        yield Charge((), most * worth(verdict, unexplained))


def _costs(verdict: ExerciseVerdict) -> Iterator[_Cost]:
    unclear = {_function(verdict, claim) for claim in _unexplained(verdict)}
    for mistakes, claims in named_mistakes(verdict):
        by_function: dict[str, list[str]] = {}
        for claim in claims:
            by_function.setdefault(_function(verdict, claim), []).append(claim)
        priced = {function: worth(verdict, failing) for function, failing in by_function.items()
                  if function not in unclear and _compared(verdict, failing)}  # fmt: skip
        unpriced = [claim for claim in claims if _function(verdict, claim) not in priced]
        yield _Cost(mistakes, priced, unpriced)


def _unexplained(verdict: ExerciseVerdict) -> list[str]:
    explained = {claim for _, claims in named_mistakes(verdict) for claim in claims}
    return [claim.name for claim in verdict.judged
            if not claim.held and claim.name not in explained]  # fmt: skip


def _compared(verdict: ExerciseVerdict, claims: Sequence[str]) -> bool:
    """Return whether any of these claims failed by a result, rather than by the lack of one."""
    messages = (claim.message for claim in verdict.judged
                if claim.name in claims and claim.state is State.FAILED)  # fmt: skip
    return any(
        message is not None and (message.rest_right or not message.leads) for message in messages
    )


def _function(verdict: ExerciseVerdict, claim: str) -> str:
    """Return the function that a claim is about; empty if the suite has no such claim."""
    exercise = exercises()[verdict.slug]
    return about(exercise, claim.partition("[")[0]) if claim in shares(exercise) else ""


# Prices, points and scales, as an instructor writes them


def read_rubric(path: Path) -> Rubric:
    """Read the prices in a file: tables of exercises, with lines of mistakes."""
    own: dict[tuple[str, str], Price] = {}
    for name, table in read_toml(path).items():
        exercise = exercise_named(name)
        if not isinstance(table, dict):
            raise UserError(
                f"{path}: {printable(name)} is not a table of prices: [ex05], and below it a line "
                "for each mistake"
            )
        own |= {(exercise.slug, slug): price for slug, price in _prices(path, exercise, table)}
    return Rubric(own)


def _prices(
    path: Path, exercise: Exercise, table: Mapping[str, object]
) -> Iterator[tuple[str, Price]]:
    catalogue = {bug.slug: bug for bug in bugs(exercise)}
    for slug, price in table.items():
        if slug not in catalogue:
            close = did_you_mean(slug, [*catalogue])
            raise UserError(
                f"{path}: {exercise.short} has no known mistake {printable(slug)}{close}"
            )
        if price == usual_price(exercise, catalogue[slug]):  # as `--write-rubric` writes it
            continue
        if isinstance(price, str) and price in PRICES:
            yield slug, price
        elif isinstance(price, int | float) and is_worth(price):
            yield slug, float(price)
        else:
            raise UserError(
                f"{path}: {slug} = {printable(repr(price))} is not a price: points, or one of "
                f"{', '.join(PRICES)}"
            )


def read_weights(path: Path) -> dict[str, float]:
    """Read points by exercise: `ex05 = 4`, or `ex05_causal_masks = 4`."""
    weights: dict[str, float] = {}
    for name, points in read_toml(path).items():
        slug = exercise_named(name).slug
        if slug in weights:
            raise UserError(f"{path}: {slug} is there twice")
        if not is_worth(points):
            value = printable(repr(points))
            raise UserError(f"{path}: {name} = {value} is not a number of points")
        weights[slug] = float(points)
    return weights


def is_worth(value: object) -> bool:
    """Return whether a value is a number of points that something may give or cost."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= MOST_POINTS


def read_scale(text: str) -> Scale:
    """Read the scale `percent`, or `A 90, B 80, F 0`; a UserError says why it is none."""
    if text.strip().casefold() == PERCENT:
        return Scale()
    parts = text.split(";" if ";" in text else ",")
    matches = [STEP.fullmatch(step.strip()) for step in parts]
    steps = [(float(match["from"].replace(",", ".")), match["name"]) for match in matches if match]
    bounds = {bound for bound, _ in steps}
    if len(bounds) < len(parts) or min(bounds) > 0:
        raise UserError(
            f"{printable(text)} is not a scale: write percent, or the least percentage of each "
            'grade, the last one 0: "A 90, B 80, C 65, F 0"'
        )
    return Scale(tuple(sorted(steps, reverse=True)))
