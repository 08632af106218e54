"""All handouts, written to a folder; and the instructor's book, which holds most of them."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.handouts.examples import TEXTS, texts
from kata.handouts.paper.guide import entries, errors, page, symptoms, telling, together
from kata.handouts.paper.typesetting import Data, marked, pdf
from kata.handouts.site.address import NOWHERE, Address

Make = Callable[[], bytes]
PAUSES = {"catching_up": "time to catch up", "breaks": "break"}  # instead of an exercise


def build(paper: str, core: bool, address: Address = NOWHERE) -> Iterator[tuple[Path, bytes]]:
    """Yield each PDF with its path in the folder, as soon as it is made."""
    _alone()
    for name, make in _handouts(paper, core, address):
        yield Path(name), make()


def slides(core: bool) -> Iterator[tuple[Path, bytes]]:
    """The slides of the leader, in one PDF."""
    from kata.handouts.paper.slides import slides

    _alone()
    yield Path("slides.pdf"), slides(core)


def _handouts(paper: str, core: bool, address: Address) -> Iterator[tuple[str, Make]]:
    from kata.handouts.paper.cheat_sheet import cheatsheet
    from kata.handouts.paper.poster import poster
    from kata.handouts.paper.sheets import hunt_sheet, proof_sheet, sheet

    for slug, exercise in exercises().items():
        if exercise.core or not core:
            yield f"sheets/{slug}.pdf", partial(sheet, exercise, paper)
            yield f"proofs/{slug}.pdf", partial(proof_sheet, exercise, paper)
            yield f"hunts/{slug}.pdf", partial(hunt_sheet, exercise, paper)
    yield "book.pdf", partial(book, paper, core)
    yield "cheatsheet.pdf", partial(cheatsheet, paper)
    yield "poster.pdf", partial(poster, paper, address)


def _alone() -> None:
    """Use one thread: the computations are tiny, and their sums are the same on every machine."""
    import torch

    torch.set_num_threads(1)


def book(paper: str, core: bool) -> bytes:
    """The PDF for all exercises, or for the core only."""
    return pdf("book.typ", data(core), paper)


def data(core: bool) -> Data:
    """The contents of the book."""
    chosen = [exercise for exercise in exercises().values() if exercise.core or not core]
    plans = ["core"] if core else ["core", "full", "decoder"]
    return {
        "total": sum(len(bugs(exercise)) for exercise in chosen),
        "printed": sum(len(telling(exercise)) for exercise in chosen),
        "days": [_day(day) for name in plans for day in days(name)],
        "pages": [page(exercise) for exercise in chosen],
        "together": [together(exercise) for exercise in chosen],
        "catalogue": [[exercise.short, exercise.title, entries(exercise)] for exercise in chosen],
        "errors": errors(chosen),
        "symptoms": symptoms(chosen),
    }


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


def _day(day: Day) -> Data:
    return {
        "name": day.name,
        "end": day.end,
        "work": day.work,
        "slots": [_slot(slot) for slot in day.slots],
    }


def _slot(slot: Slot) -> Data:
    exercise = slot.exercise
    questions = texts(exercise).questions if exercise else ()
    return {
        "start": slot.start,
        "begin": slot.begin,
        "stop": slot.stop,
        "minutes": slot.minutes,
        "work": slot.work,
        "slug": exercise.slug if exercise else "",
        "short": exercise.short if exercise else "",
        "text": marked(slot.text),
        "ask": marked(questions[0][0]) if questions else [],
    }


def days(name: str) -> list[Day]:
    """The days of `core`, of `full`, or of `decoder`, which follows the core."""
    plan = tomllib.loads((TEXTS / "plan.toml").read_text(encoding="utf-8"))
    chosen = [exercise for exercise in exercises().values() if _belongs(exercise, name)]
    return [_day_of_plan(table, _until(chosen, table.get("last", ""))) for table in plan[name]]


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


def _day_of_plan(table: dict[str, Any], chosen: Iterable[Exercise]) -> Day:
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
