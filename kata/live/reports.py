"""The reports in a learner's message, as far as the course has such exercises and mistakes."""

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
    """The standing of one exercise; claims and mistakes have names of the course."""

    exercise: str
    state: State
    held: int
    of: int
    claim: str
    mistakes: tuple[str, ...]


def content(body: bytes) -> dict[str, Any]:
    """Return a message as data; raise MessageError if it is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise MessageError from None
    if not isinstance(value, dict):
        raise MessageError
    return value


def count(message: dict[str, Any]) -> int:
    """Return the number of a message, which grows from message to message."""
    number = message.get("count")
    if type(number) is not int or not 0 < number < 2**63:
        raise MessageError
    return number


def text(message: dict[str, Any], name: str) -> str:
    """Return a text of the message."""
    value = message.get(name)
    if not isinstance(value, str):
        raise MessageError
    # JSON may hold half of a character.
    return value.encode("utf-8", "replace").decode("utf-8")


def reports(message: dict[str, Any]) -> list[Report]:
    """Return a report for every exercise of the message that this course has."""
    work = message.get("work")
    if not isinstance(work, list) or not all(isinstance(entry, dict) for entry in work):
        raise MessageError
    return [_report(exercise, entry) for exercise, entry in _latest(work)]


def _latest(work: list[dict[str, Any]]) -> Iterator[tuple[Exercise, dict[str, Any]]]:
    last = {str(entry.get("exercise")): entry for entry in work}
    return ((exercises()[slug], entry) for slug, entry in last.items() if slug in exercises())


def _report(exercise: Exercise, entry: dict[str, Any]) -> Report:
    held, of = (_number(entry.get(name, 0)) for name in ("held", "of"))
    state, claim = STATES.get(str(entry.get("state"))), entry.get("claim")
    slugs = entry.get("mistakes", [])
    if state is None or held > of or not isinstance(slugs, list):
        raise MessageError
    slugs = [slug for slug in slugs[:MOST_MISTAKES] if isinstance(slug, str)]
    return Report(
        exercise.slug,
        state,
        held,
        of,
        claim if isinstance(claim, str) and claim in claims(exercise) else "",
        tuple(dict.fromkeys(slug for slug in slugs if slug in mistakes(exercise))),
    )


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST_CLAIMS:
        raise MessageError
    return value


@dataclass(frozen=True)
class MistakeTexts:
    """The texts about a mistake of the catalogue: its title, and the question to ask."""

    title: str
    ask: str


@cache
def mistakes(exercise: Exercise) -> Mapping[str, MistakeTexts]:
    """Return the texts about all mistakes that can be named in this exercise, by slug."""
    general = (mistake for name in ("crashes", "kinds") for _, mistake in causes(name))
    texts = {mistake.slug: MistakeTexts(mistake.title, mistake.hints[0]) for mistake in general}
    return texts | {bug.slug: MistakeTexts(bug.title, bug.hints[0]) for bug in bugs(exercise)}


@cache
def claims(exercise: Exercise) -> frozenset[str]:
    """Return the names of all claims about an exercise."""
    return frozenset(name for _, name in listed(exercise))


@cache
def question(exercise: Exercise, claim: str) -> str:
    """Return the question about a claim that fails without a diagnosis; it may be empty."""
    return "" if not claim else next(iter(exercise.hints_about(about(exercise, claim))), "")


def read_all() -> None:
    """Read the whole catalogue at the start, so that no message waits for it."""
    for exercise in exercises().values():
        mistakes(exercise)
        claims(exercise)
