"""The timetable: when each exercise is done, in half a day or in three days."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.handouts.examples import TEXTS

BREAK = ""  # instead of the name of an exercise


@dataclass(frozen=True)
class Slot:
    """One line of a day: its start, its minutes, and its exercise, if it has one."""

    start: str
    minutes: int
    exercise: Exercise | None
    text: str


@dataclass(frozen=True)
class Day:
    """One day: its slots, and when it ends."""

    name: str
    slots: tuple[Slot, ...]
    end: str


def days(name: str) -> list[Day]:
    """Those of `core`, or of `full`."""
    plan = tomllib.loads((TEXTS / "plan.toml").read_text(encoding="utf-8"))
    chosen = [each for each in exercises().values() if each.core or name == "full"]
    return [_day(each, _until(chosen, each.get("last", ""))) for each in plan[name]]


def _until(chosen: list[Exercise], last: str) -> Iterable[Exercise]:
    """Remove the exercises of a day from those that are left, and return them."""
    slugs = [each.slug for each in chosen]
    count = slugs.index(last) + 1 if last else len(chosen)
    taken, chosen[:] = chosen[:count], chosen[count:]
    return taken


def _day(table: dict[str, Any], chosen: Iterable[Exercise]) -> Day:
    clock = _minutes(table["start"])
    slots = []
    for exercise, text, minutes in _lines(table, chosen):
        slots.append(Slot(_clock(clock), minutes, exercise, text))
        clock += minutes
    return Day(table["name"], tuple(slots), _clock(clock))


def _lines(
    table: dict[str, Any], chosen: Iterable[Exercise]
) -> Iterator[tuple[Exercise | None, str, int]]:
    yield None, *table["opening"]
    for each in chosen:
        yield each, each.title, each.minutes
        if pause := table["breaks"].get(each.slug):
            yield None, BREAK, pause
    yield None, *table["closing"]


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
