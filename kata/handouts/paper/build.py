"""The handouts that are printed, and the instructor's book, which contains most of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.handouts.examples import read_texts, texts
from kata.handouts.paper.guide import entries, errors, notable, page, symptoms, together
from kata.handouts.paper.typesetting import Data, pdf, prose
from kata.handouts.site.address import NOWHERE, Address

PAUSES = {"catching_up": "time to catch up", "breaks": "break"}  # instead of an exercise


def build(paper: str, core: bool, address: Address = NOWHERE) -> Iterator[tuple[Path, bytes]]:
    """Yield every PDF with its path in the folder, as soon as it is ready."""
    _use_one_thread()
    for name, handout in _handouts(paper, core, address):
        yield Path(name), handout()


def slides(core: bool) -> Iterator[tuple[Path, bytes]]:
    """The slides of the leader, in one PDF."""
    from kata.handouts.paper.slides import slides

    _use_one_thread()
    yield Path("slides.pdf"), slides(core)


def _handouts(
    paper: str, core: bool, address: Address
) -> Iterator[tuple[str, Callable[[], bytes]]]:
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


def _use_one_thread() -> None:
    # The computations are tiny, and so their sums are the same on every machine.
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
        "printed": sum(len(notable(exercise)) for exercise in chosen),
        "days": [_day(day) for name in plans for day in days(name)],
        "pages": [page(exercise) for exercise in chosen],
        "together": [together(exercise) for exercise in chosen],
        "catalogue": [[exercise.short, exercise.title, entries(exercise)] for exercise in chosen],
        "errors": errors(chosen),
        "symptoms": symptoms(chosen),
    }


@dataclass(frozen=True)
class Slot:
    """One line of a day: its start and its minutes, of which those of an exercise have parts.

    Attributes:
        introduce: the first minutes, in which the exercise is introduced.
        discuss: the last minutes, in which a group talks about it.
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
        """The time at which the group begins to talk."""
        return _clock(_minutes(self.start) + self.introduce + self.work)


@dataclass(frozen=True)
class Day:
    """One day: its slots, and the time at which it ends."""

    name: str
    slots: tuple[Slot, ...]
    end: str

    @property
    def work(self) -> int:
        """The minutes in which learners write code."""
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
        "text": prose(slot.text),
        "ask": prose(questions[0][0]) if questions else [],
    }


def days(name: str) -> list[Day]:
    """The days of `core`, of `full`, or of `decoder`, which follows the core."""
    plan = read_texts("plan")
    rest = [exercise for exercise in exercises().values() if _belongs(exercise, name)]
    return [_day_of_plan(table, _take(rest, table.get("last", ""))) for table in plan[name]]


def _belongs(exercise: Exercise, name: str) -> bool:
    # The day of the decoder follows the core.
    if name == "decoder":
        return exercise.is_in("decoder") and not exercise.core
    return exercise.core or name == "full"


def _take(rest: list[Exercise], last: str) -> Iterable[Exercise]:
    """Remove the exercises up to the last one of a day, and return them."""
    slugs = [exercise.slug for exercise in rest]
    count = slugs.index(last) + 1 if last else len(rest)
    chosen, rest[:] = rest[:count], rest[count:]
    return chosen


def _day_of_plan(table: dict[str, Any], chosen: Iterable[Exercise]) -> Day:
    clock = _minutes(table["start"])
    slots = []
    for text, minutes, exercise in _lines(table, chosen):
        talk = (table["introduce"], table["discuss"]) if exercise else (0, 0)
        total = minutes + sum(talk)
        slots.append(Slot(_clock(clock), total, text, exercise, *talk))
        clock += total
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
