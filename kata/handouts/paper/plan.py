"""The timetable: when exercises are introduced, done and talked about, and when to catch up."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.handouts.examples import TEXTS

PAUSES = {"catching_up": "time to catch up", "breaks": "break"}  # instead of an exercise


@dataclass(frozen=True)
class Slot:
    """One line of a day: its start and its minutes; for an exercise, how they are divided.

    Attributes:
        introduce: minutes in which the exercise is introduced, the first ones.
        discuss: minutes in which a group talks about it, the last ones.
    """

    start: str
    minutes: int
    text: str
    exercise: Exercise | None = None
    introduce: int = 0
    discuss: int = 0

    @property
    def work(self) -> int:
        """The minutes between introduction and discussion."""
        return self.minutes - self.introduce - self.discuss

    @property
    def begin(self) -> str:
        """The time at which the work begins."""
        return _clock(_minutes(self.start) + self.introduce)

    @property
    def stop(self) -> str:
        """The time at which the group begins to talk about it."""
        return _clock(_minutes(self.start) + self.introduce + self.work)


@dataclass(frozen=True)
class Day:
    """One day: its slots, and when it ends."""

    name: str
    slots: tuple[Slot, ...]
    end: str

    @property
    def work(self) -> int:
        """The minutes in which learners write."""
        return sum(slot.work for slot in self.slots if slot.exercise)


def days(name: str) -> list[Day]:
    """The days of `core`, of `full`, or of `decoder`, which follows the core."""
    plan = tomllib.loads((TEXTS / "plan.toml").read_text(encoding="utf-8"))
    chosen = [exercise for exercise in exercises().values() if _belongs(exercise, name)]
    return [_day(table, _until(chosen, table.get("last", ""))) for table in plan[name]]


def _belongs(exercise: Exercise, name: str) -> bool:
    """The day of the decoder leaves out what the core has done."""
    if name == "decoder":
        return exercise.is_in("decoder") and not exercise.core
    return exercise.core or name == "full"


def _until(chosen: list[Exercise], last: str) -> Iterable[Exercise]:
    """Remove the exercises of a day from those that are left, and return them."""
    slugs = [exercise.slug for exercise in chosen]
    count = slugs.index(last) + 1 if last else len(chosen)
    taken, chosen[:] = chosen[:count], chosen[count:]
    return taken


def _day(table: dict[str, Any], chosen: Iterable[Exercise]) -> Day:
    clock = _minutes(table["start"])
    slots = []
    for text, minutes, exercise in _lines(table, chosen):
        parts = (table["introduce"], table["discuss"]) if exercise else (0, 0)
        whole = minutes + sum(parts)
        slots.append(Slot(_clock(clock), whole, text, exercise, *parts))
        clock += whole
    return Day(table["name"], tuple(slots), _clock(clock))


def _lines(
    table: dict[str, Any], chosen: Iterable[Exercise]
) -> Iterator[tuple[str, int, Exercise | None]]:
    yield *table["opening"], None
    for exercise in chosen:
        yield exercise.title, exercise.minutes, exercise
        for kind, text in PAUSES.items():
            if minutes := table.get(kind, {}).get(exercise.slug):
                yield text, minutes, None
    yield *table["closing"], None


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
