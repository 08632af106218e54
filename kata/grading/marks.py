"""The mark of an exercise: its points, less what each mistake costs.

Where known mistakes explain all that fails in a function, they cost their price, and no more than
the claims that fail by them are worth. All else costs what its claims are worth; so does a mistake
by which nothing was computed that could be compared: what stands behind it, nobody has seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kata.course.curriculum import exercises
from kata.course.shares import shares
from kata.course.suite_code import about
from kata.grading.rubric import USUAL, Rubric
from kata.points import Charge, Mark
from kata.verdict import Diagnosis, ExerciseVerdict, Fit, Mistake, State

DIGITS = 4
Named = tuple[tuple[Mistake, ...], Sequence[str]]  # mistakes, and the claims that fail by them


def mark(found: ExerciseVerdict, most: float, rubric: Rubric = USUAL) -> Mark:
    """What was earned of so many points."""
    if found.is_whole:
        return Mark(0.0, most)
    charges = tuple(_charges(found, most, rubric))
    score = max(0.0, most - sum(each.points for each in charges))
    return Mark(round(score, DIGITS), most, tuple(map(_rounded, charges)))


def worth(found: ExerciseVerdict, claims: Iterable[str]) -> float:
    """The share of the points that these claims have together."""
    known = shares(exercises()[found.slug])
    return sum(known.get(each, 0.0) for each in claims)


def named(found: ExerciseVerdict) -> list[Named]:
    """All mistakes that were named, each once; those that cannot be told apart together."""
    known: dict[tuple[str, ...], Named] = {}
    for mistakes in (each for one in found.diagnoses for each in _groups(one)):
        slugs = tuple(each.slug for each in mistakes)
        claims = found.lost_by([name for each in mistakes for name in each.explains])
        known[slugs] = mistakes, [*known.get(slugs, ((), ()))[1], *claims]
    return [*known.values()]


def priced(found: ExerciseVerdict) -> list[tuple[Mistake, ...]]:
    """Those of the named mistakes that cost a price, at least in one function."""
    return [each.mistakes for each in _costs(found) if each.priced]


def _groups(found: Diagnosis) -> list[tuple[Mistake, ...]]:
    together = found.fit is not Fit.BOTH
    return [found.mistakes] if together else [(each,) for each in found.mistakes]


@dataclass(frozen=True)
class _Cost:
    """Mistakes that cannot be told apart, and what fails by them.

    Attributes:
        priced: what the claims are worth that fail in each function where a price counts.
        others: the claims that fail where none does.
    """

    mistakes: tuple[Mistake, ...]
    priced: Mapping[str, float]
    others: Sequence[str]


def _costs(found: ExerciseVerdict) -> Iterator[_Cost]:
    unclear = {_function(found, name) for name in _unexplained(found)}
    for mistakes, claims in named(found):
        by_function: dict[str, list[str]] = {}
        for name in claims:
            by_function.setdefault(_function(found, name), []).append(name)
        priced = {function: worth(found, names) for function, names in by_function.items()
                  if function not in unclear and _compared(found, names)}  # fmt: skip
        yield _Cost(mistakes, priced, [n for n in claims if _function(found, n) not in priced])


def _unexplained(found: ExerciseVerdict) -> list[str]:
    explained = {name for _, claims in named(found) for name in claims}
    return [each.name for each in found.judged if not each.held and each.name not in explained]


def _charges(found: ExerciseVerdict, most: float, rubric: Rubric) -> Iterator[Charge]:
    for each in _costs(found):
        claims = {function: most * part for function, part in each.priced.items()}
        points = most * worth(found, each.others)
        points += rubric.cost(found.slug, each.mistakes, most, claims)
        yield Charge(tuple(one.slug for one in each.mistakes), points)
    if left := _unexplained(found):
        yield Charge((), most * worth(found, left))


def _compared(found: ExerciseVerdict, claims: Sequence[str]) -> bool:
    """Whether any of these claims failed by a result, rather than by the lack of one."""
    failed = (each.message for each in found.judged
              if each.name in claims and each.state is State.FAILED)  # fmt: skip
    return any(told is not None and (told.rest_right or not told.leads) for told in failed)


def _function(found: ExerciseVerdict, claim: str) -> str:
    """The function that a claim is about; none if the suite has no such claim."""
    exercise = exercises()[found.slug]
    return about(exercise, claim.partition("[")[0]) if claim in shares(exercise) else ""


def _rounded(charge: Charge) -> Charge:
    return Charge(charge.mistakes, round(charge.points, DIGITS))
