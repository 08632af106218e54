"""What a learner's message says, if it says what it may."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.course.suite_code import about, listed
from kata.diagnosis.observe import causes
from kata.verdict import State

MOST_MISTAKES = 4  # of one exercise
MOST_CLAIMS = 1000


STATES = {state.value: state for state in State}


class MessageError(Exception):
    """A message that no kata sends."""


@dataclass(frozen=True)
class Report:
    """How one exercise stands; a claim and mistakes only by names that the course has."""

    exercise: str
    state: State
    held: int
    of: int
    claim: str
    mistakes: tuple[str, ...]


def content(body: bytes) -> dict[str, Any]:
    """A message as data; raises MessageError."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise MessageError from None
    if not isinstance(value, dict):
        raise MessageError
    return value


def count(message: dict[str, Any]) -> int:
    """The number of a message, which is larger than those of all before it."""
    number = message.get("count")
    if type(number) is not int or not 0 < number < 2**63:
        raise MessageError
    return number


def text(message: dict[str, Any], name: str) -> str:
    """A text of the message."""
    value = message.get(name)
    if not isinstance(value, str):
        raise MessageError
    return value.encode("utf-8", "replace").decode("utf-8")  # no half of a character


def reports(message: dict[str, Any]) -> list[Report]:
    """A report for every exercise that this course has."""
    work = message.get("work")
    if not isinstance(work, list) or not all(isinstance(entry, dict) for entry in work):
        raise MessageError
    return [_report(exercise, entry) for exercise, entry in _latest(work)]


def _latest(work: list[dict[str, Any]]) -> Iterator[tuple[Exercise, dict[str, Any]]]:
    """The last entry about every exercise."""
    last = {str(entry.get("exercise")): entry for entry in work}
    return ((exercises()[slug], entry) for slug, entry in last.items() if slug in exercises())


def _report(exercise: Exercise, entry: dict[str, Any]) -> Report:
    held, of = (_number(entry.get(name, 0)) for name in ("held", "of"))
    state, claim = STATES.get(str(entry.get("state"))), entry.get("claim")
    named = entry.get("mistakes", [])
    if state is None or held > of or not isinstance(named, list):
        raise MessageError
    slugs = [slug for slug in named[:MOST_MISTAKES] if isinstance(slug, str)]
    return Report(
        exercise.slug, state, held, of,
        claim if isinstance(claim, str) and claim in claims(exercise) else "",
        tuple(dict.fromkeys(slug for slug in slugs if slug in mistakes(exercise))),
    )  # fmt: skip


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST_CLAIMS:
        raise MessageError
    return value


@dataclass(frozen=True)
class MistakeTexts:
    """A mistake of the catalogue: what it is called, and what to ask whoever has made it."""

    title: str
    ask: str


@cache
def mistakes(exercise: Exercise) -> Mapping[str, MistakeTexts]:
    """The mistakes that can be named in this exercise, by slug."""
    general_causes = (mistake for name in ("crashes", "kinds") for _, mistake in causes(name))
    by_slug = {
        mistake.slug: MistakeTexts(mistake.title, mistake.hints[0]) for mistake in general_causes
    }
    return by_slug | {bug.slug: MistakeTexts(bug.title, bug.hints[0]) for bug in bugs(exercise)}


@cache
def claims(exercise: Exercise) -> frozenset[str]:
    """The names of all that its suite claims."""
    return frozenset(name for _, name in listed(exercise))


@cache
def question(exercise: Exercise, claim: str) -> str:
    """What to ask somebody whose mistake is not known; empty if nothing is written, or no claim."""
    return "" if not claim else next(iter(exercise.hints_about(about(exercise, claim))), "")


def read_all() -> None:
    """Read everything at the start, so that no message waits for it."""
    for exercise in exercises().values():
        mistakes(exercise)
        claims(exercise)
