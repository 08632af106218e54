"""What a learner's message says, if it says what it may."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.room.course_texts import claims, mistakes
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
    """Its number, which is larger than those of all messages before it."""
    found = message.get("count")
    if type(found) is not int or not 0 < found < 2**63:
        raise MessageError
    return found


def text(message: dict[str, Any], name: str) -> str:
    """A text of the message."""
    found = message.get(name)
    if not isinstance(found, str):
        raise MessageError
    return found.encode("utf-8", "replace").decode("utf-8")  # no half of a character


def reports(message: dict[str, Any]) -> list[Report]:
    """One for each exercise; one that this course does not have is left out."""
    work = message.get("work")
    if not isinstance(work, list) or not all(isinstance(value, dict) for value in work):
        raise MessageError
    return [_report(exercise, each) for exercise, each in _known(work)]


def _known(work: list[dict[str, Any]]) -> Iterator[tuple[Exercise, dict[str, Any]]]:
    """The last that is said of each exercise."""
    last = {str(each.get("exercise")): each for each in work}
    return ((exercises()[slug], each) for slug, each in last.items() if slug in exercises())


def _report(exercise: Exercise, entry: dict[str, Any]) -> Report:
    held, of = (_number(entry.get(name, 0)) for name in ("held", "of"))
    state, claim = STATES.get(str(entry.get("state"))), entry.get("claim")
    named = entry.get("mistakes", [])
    if state is None or held > of or not isinstance(named, list):
        raise MessageError
    slugs = [value for value in named[:MOST_MISTAKES] if isinstance(value, str)]
    return Report(
        exercise.slug, state, held, of,
        claim if isinstance(claim, str) and claim in claims(exercise) else "",
        tuple(dict.fromkeys(slug for slug in slugs if slug in mistakes(exercise))),
    )  # fmt: skip


def _number(found: object) -> int:
    if type(found) is not int or not 0 <= found <= MOST_CLAIMS:
        raise MessageError
    return found
