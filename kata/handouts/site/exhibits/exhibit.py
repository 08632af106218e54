"""Exhibits, read from their texts: lines to choose from, knobs to turn, and facts."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).parent / "texts"
RIGHT = "right"  # the line without its code


@dataclass(frozen=True)
class Line:
    """A line of code that can be chosen.

    Attributes:
        key: its name in the address.
        label: what is wrong, in a few words.
        code: as its author wrote it; "" for the right line, which no page gives away.
        shows: what to see.
        bugs: wrong answers of the catalogue, as `exercise/slug`.
    """

    key: str
    label: str
    code: str
    shows: str
    bugs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Knob:
    """A choice of several values: a slider, or words to choose from."""

    key: str
    label: str
    values: tuple[Any, ...]
    start: Any

    @property
    def slides(self) -> bool:
        """True for a slider."""
        return not isinstance(self.start, str)

    @property
    def at(self) -> int:
        """The index of the value at which it starts."""
        return self.values.index(self.start)


@dataclass(frozen=True)
class Fact:
    """A claim, and a template for the numbers that were measured."""

    key: str
    claim: str
    measured: str


@dataclass(frozen=True)
class Exhibit:
    """One exhibit; `look` has the labels and the colours of its maps."""

    name: str
    place: int
    title: str
    lead: str
    exercises: tuple[str, ...]
    lines: tuple[Line, ...]
    knobs: tuple[Knob, ...]
    facts: tuple[Fact, ...]
    look: Mapping[str, Any]

    @property
    def start(self) -> dict[str, Any]:
        """The values that the knobs have at first."""
        return {knob.key: knob.start for knob in self.knobs}

    @property
    def bugs(self) -> tuple[str, ...]:
        """The wrong answers of all its lines."""
        return tuple(bug for line in self.lines for bug in line.bugs)


@cache
def common() -> dict[str, Any]:
    """The texts that all exhibits share."""
    return _read("common")


@cache
def exhibits() -> dict[str, Exhibit]:
    """All exhibits by their names, in their order."""
    names = (path.stem for path in TEXTS.glob("*.toml") if path.stem != "common")
    sequence = sorted(
        (_exhibit(name, _read(name)) for name in names), key=lambda exhibit: exhibit.place
    )
    return {exhibit.name: exhibit for exhibit in sequence}


def exhibit_of(exercise_slug: str, bug_slug: str) -> str:
    """The page that shows a wrong answer, with its line in the address; "" if there is none."""
    wanted = f"{exercise_slug}/{bug_slug}"
    pages = (f"{exhibit.name}.html#line={line.key}" for exhibit in exhibits().values()
             for line in exhibit.lines if wanted in line.bugs)  # fmt: skip
    return next(pages, "")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((TEXTS / f"{name}.toml").read_text(encoding="utf-8"))


def _exhibit(name: str, table: dict[str, Any]) -> Exhibit:
    lines = (Line(line["key"], line["label"], line["code"].strip(), line["shows"],
                  tuple(line["bugs"])) for line in table.pop("line"))  # fmt: skip
    right = Line(RIGHT, common()["right-label"], "", common()["right-note"])
    knobs = (Knob(**{**knob, "values": tuple(knob["values"])}) for knob in table.pop("knob"))
    facts = {**table.pop("facts"), "same": {}}
    heads = {key: table.pop(key) for key in ("place", "title", "lead")}
    return Exhibit(
        name=name, exercises=tuple(table.pop("exercises")), lines=(*lines, right),
        knobs=tuple(knobs), facts=tuple(map(_fact, facts, facts.values())), look=table, **heads,
    )  # fmt: skip


def _fact(key: str, table: dict[str, str]) -> Fact:
    """A fact; what its table leaves out is the same in all exhibits."""
    return Fact(key, **{**common()["facts"].get(key, {}), **table})
