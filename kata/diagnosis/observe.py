"""Findings about an answer: verdicts, and what the suite saw, as plain data to be compared."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kata.course.curriculum import Exercise
from kata.course.target import Target
from kata.inside.objects import Opaque
from kata.judging.attempt import Attempt, LearnerError
from kata.judging.case import Call, Case, Chance
from kata.judging.inputs import numpy
from kata.judging.judge import Claim, case_of, check, suite
from kata.judging.submission import ModuleHandle
from kata.verdict import ClaimVerdict, ExerciseVerdict, Mistake, State

ALARM = 6.5  # standard deviations between two shares: fewer than 1e-9 false alarms
HUGE = 1e4  # more than any score of a claim, less than what hides one in half precision
SPARSE = 0.02  # a smaller share of zeros is not the work of dropout


@dataclass(frozen=True)
class Sight:
    """An event as plain data: no tensors with their graphs, no errors with their frames.

    `chance` is None if its numbers depend on the inputs alone.
    """

    label: str
    outcome: Any
    changed: list[Any]
    chance: Chance | None = None


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim, the functions that it called, and what the suite saw on the way."""

    verdict: ClaimVerdict
    called: frozenset[str]
    look: Callable[[], list[Sight]]

    @cached_property
    def sights(self) -> list[Sight]:
        """The sights of the suite, which take time to bring into their form."""
        return self.look()

    def looks_like(self, other: "Finding") -> bool:
        """Return True if the suite saw the same things and came to the same verdict."""
        return self.verdict.state == other.verdict.state and same_sights(self.sights, other.sights)


def finding(verdict: ClaimVerdict, case: Case) -> Finding:
    """Return a verdict with what its claim saw; later calls may change the arrays."""
    plain = sights(case.events)
    return Finding(verdict, called(case), lambda: plain)


def called(case: Case) -> frozenset[str]:
    """Return the functions that a claim has called."""
    matches = (re.match(r"\w+", event.label) for event in case.events)
    return frozenset(match[0] for match in matches if match and match[0] != "gradient")


def find(claim: Claim, attempt: Attempt) -> Finding:
    """Check a claim, and keep what the suite saw."""
    case = case_of(claim, attempt.exercise)
    return finding(check(claim, attempt, case), case)


@dataclass(frozen=True)
class Observation:
    """The findings of a whole suite, by the ids of its claims."""

    slug: str
    findings: dict[str, Finding]

    @cached_property
    def verdict(self) -> ExerciseVerdict:
        """The verdict of the suite."""
        verdicts = tuple(finding.verdict for finding in self.findings.values())
        return ExerciseVerdict(self.slug, verdicts)

    def looks_like(self, other: "Observation") -> bool:
        """Return True if the suite saw the same of both; failures, which tell most, come first."""
        failures_first = sorted(self.findings.items(), key=lambda pair: pair[1].verdict.held)
        return self.states == other.states and all(
            mine.looks_like(other.findings[claim]) for claim, mine in failures_first
        )

    @cached_property
    def states(self) -> list[State]:
        """The outcomes of all claims."""
        return [finding.verdict.state for finding in self.findings.values()]

    @property
    def first(self) -> str:
        """The claim that fails first, without its device."""
        failed = self.verdict.first_failure
        return failed.plain_name if failed else ""


def observe(exercise: Exercise, target: Target) -> Observation:
    """Judge every claim, and keep what the suite saw."""
    attempt = Attempt(exercise, target)
    return Observation(exercise.slug, {claim.id: find(claim, attempt) for claim in suite(exercise)})


def sights(events: Sequence[Call]) -> list[Sight]:
    """Return the events of a claim as plain data; gradients depend on chance if their call does."""
    plain: list[Sight] = []
    chance = None
    for event in events:
        chance = event.chance or (None if event.names else chance)
        plain.append(Sight(event.label, _plain(event.outcome), _changed(event), chance))
    return plain


def _changed(event: Call) -> list[Any]:
    """Return the arguments that a call has changed, and None for the rest."""
    pairs = zip(map(_plain, event.before), map(_plain, event.after), strict=False)
    return [None if same(before, after) else after for before, after in pairs]


def _plain(value: Any) -> Any:
    if isinstance(value, LearnerError):
        return "raised", tuple(value.kinds), "" if value.by_hand else value.text, value.text
    if isinstance(value, Exception):
        return "raised", (type(value).__name__,), str(value), str(value)
    if isinstance(value, Opaque):
        return "opaque", value.kind
    if isinstance(value, ModuleHandle):
        return "module"
    if isinstance(value, Mapping):
        return [(key, _plain(item)) for key, item in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value)(_plain(item) for item in value)
    if isinstance(value, float):
        return "float", np.array(value, dtype=np.float64)  # equal up to rounding, like any number
    return (str(value.dtype), numpy(value).copy()) if hasattr(value, "shape") else value


def same_sights(first: Sequence[Sight], second: Sequence[Sight]) -> bool:
    """Return True if a suite saw the same things, up to rounding."""
    return len(first) == len(second) and all(
        mine.label == other.label
        and same(mine.outcome, other.outcome)
        and same(mine.changed, other.changed)
        for mine, other in zip(first, second, strict=True)
    )


def same(first: Any, second: Any) -> bool:
    """Return True for numbers that are equal up to rounding, and for any other equal values."""
    if type(first) is not type(second):
        return False
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, np.ndarray):
        return first.shape == second.shape and _rounds_alike(first, second)
    return bool(first == second)


def _rounds_alike(first: Any, second: Any) -> bool:
    """Do what np.allclose does, in a sixth of its time: all pairs of mistakes are compared."""
    if np.array_equal(first, second) or "f" not in {first.dtype.kind, second.dtype.kind}:
        return bool(np.array_equal(first, second))
    with np.errstate(invalid="ignore"):  # inf − inf; equal infinities are equal all the same
        near = np.abs(first - second) <= 1e-6 + 1e-5 * np.abs(second)
    both_nan = np.isnan(first) & np.isnan(second)
    return bool(np.all((near & np.isfinite(second)) | (first == second) | both_nan))


@dataclass(frozen=True)
class Closeness:
    """The closeness that is asked of two sights where the authors' styles may differ.

    Attributes:
        tolerance: relative to the largest number of an array.
        words: whether errors have to say the same; else kind, place and cause are enough.
    """

    tolerance: float
    words: bool = True


def alike_sights(first: Sequence[Sight], second: Sequence[Sight], look: Closeness) -> bool:
    """Return True if sights are the same up to chance, rounding and the words of an error."""
    return len(first) == len(second) and all(
        mine.label == other.label
        and alike_outcomes(mine.outcome, other.outcome, look, mine.chance)
        and alike_outcomes(mine.changed, other.changed, look, mine.chance)
        for mine, other in zip(first, second, strict=True)
    )


def alike_outcomes(first: Any, second: Any, look: Closeness, chance: Chance | None) -> bool:
    """Return True if two outcomes are the same, or two lists of changed arguments."""
    if type(first) is not type(second):
        return False
    if is_error(first) and is_error(second):
        return bool(first[1] == second[1]) and _says_the_same(first[2], second[2], look)
    if is_named(first) and is_named(second):  # order and extra names do not matter
        mine, other = dict(first), dict(second)
        both = mine.keys() & other.keys()
        return all(alike_outcomes(mine[name], other[name], look, chance) for name in both)
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(
            alike_outcomes(mine, other, look, chance)
            for mine, other in zip(first, second, strict=True)
        )
    if isinstance(first, np.ndarray):
        return _near(first, second, look) or (
            chance is not None and _by_chance(first, second, look, chance)
        )
    return same(first, second)


def _says_the_same(first: str, second: str, look: Closeness) -> bool:
    """Compare the words of two errors; other words may do if they point to the same cause."""
    return first == second or (
        not look.words and cause_of("crashes", first) == cause_of("crashes", second)
    )


def _near(first: Any, second: Any, look: Closeness) -> bool:
    if first.shape != second.shape:
        return False
    if np.array_equal(first, second):  # the usual case, and the fastest
        return True
    if "f" not in first.dtype.kind + second.dtype.kind:
        return False
    return bool(near(first, second, look).all())


def near(first: Any, second: Any, look: Closeness) -> Any:
    """Mark the numbers of two arrays of one shape that are equal.

    Scores are equally hidden by -inf and by any huge negative number.
    """
    if "f" not in first.dtype.kind + second.dtype.kind:
        return first == second
    mine, other = np.clip(first, -HUGE, HUGE), np.clip(second, -HUGE, HUGE)
    largest = np.max(np.abs(other), initial=1.0, where=np.isfinite(other))
    far = np.abs(mine - other) > look.tolerance * largest  # False where either is no number
    return ~far & (np.isnan(mine) == np.isnan(other))


def is_error(value: Any) -> bool:
    """Return True if an outcome is an error."""
    return isinstance(value, tuple) and value[:1] == ("raised",)


def is_named(value: Any) -> bool:
    """Return True if an outcome is a list of (name, value), as parameters are."""
    return isinstance(value, list) and all(
        isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) for item in value
    )


def _by_chance(first: Any, second: Any, look: Closeness, chance: Chance) -> bool:
    """Compare shapes, finiteness, the share of zeros and the size of the numbers that survive."""
    if first.shape != second.shape or np.isfinite(first).all() != np.isfinite(second).all():
        return False
    if chance is Chance.BIRTH or not first.size:
        return True
    zeros, others = float((first == 0).mean()), float((second == 0).mean())
    middle = (zeros + others) / 2
    if abs(zeros - others) > ALARM * (2 * middle * (1 - middle) / first.size) ** 0.5:
        return False
    survivors = (first != 0) & (second != 0)
    return middle < SPARSE or _near(first[survivors], second[survivors], look)


@cache
def causes(name: str) -> tuple[tuple[str, Mistake], ...]:
    """Return pairs of a pattern and a cause, the more specific ones first."""
    path = Path(__file__).with_name(f"{name}.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple((entry["pattern"], _cause(entry)) for entry in table["cause"])


def cause_of(name: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> Mistake | None:
    """Return the first cause with a pattern that matches in this text."""
    mistakes = (cause for pattern, cause in causes(name) if re.search(pattern, text, flags))
    return next(mistakes, None)


def _cause(entry: dict[str, Any]) -> Mistake:
    texts = {name: entry[name] for name in ("slug", "title", "symptom", "why")}
    return Mistake(**texts, hints=tuple(entry["hints"]))
