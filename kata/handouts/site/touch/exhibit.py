"""What an exhibit consists of, read from its text: lines, knobs, facts, and what they belong to."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).parent / "texts"
RIGHT = "right"  # the line that is not shown


@dataclass(frozen=True)
class Line:
    """A line of code that can be chosen.

    Attributes:
        key: its name in the address.
        label: what is wrong, in a few words.
        code: as its author wrote it; "" for the right line, which is not shown.
        shows: what to see.
        bugs: wrong answers of the catalogue, each as `exercise/slug`.
    """

    key: str
    label: str
    code: str
    shows: str
    bugs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Knob:
    """A choice of several values; one of words is shown as words, not as a slider."""

    key: str
    label: str
    values: tuple[Any, ...]
    start: Any

    @property
    def slides(self) -> bool:
        """Whether it is a slider."""
        return not isinstance(self.start, str)

    @property
    def at(self) -> int:
        """Where it stands at first."""
        return self.values.index(self.start)


@dataclass(frozen=True)
class Fact:
    """A claim, and how what was measured is told; see `facts.py`."""

    key: str
    claim: str
    measured: str


@dataclass(frozen=True)
class Exhibit:
    """One exhibit. `look` holds how its maps are labelled and coloured."""

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
        """Where the knobs stand at first."""
        return {knob.key: knob.start for knob in self.knobs}

    @property
    def bugs(self) -> tuple[str, ...]:
        """All wrong answers that its lines show."""
        return tuple(bug for line in self.lines for bug in line.bugs)


@cache
def common() -> dict[str, Any]:
    """What all exhibits say."""
    return _read("common")


@cache
def exhibits() -> dict[str, Exhibit]:
    """All of them by their names, in their order."""
    names = (path.stem for path in TEXTS.glob("*.toml") if path.stem != "common")
    found = sorted(
        (_exhibit(name, _read(name)) for name in names), key=lambda exhibit: exhibit.place
    )
    return {exhibit.name: exhibit for exhibit in found}


def exhibit_of(exercise_slug: str, bug_slug: str) -> str:
    """The page that shows a wrong answer, with its line in the address; "" if there is none."""
    wanted = f"{exercise_slug}/{bug_slug}"
    pages = (f"{exhibit.name}.html#line={line.key}" for exhibit in exhibits().values()
             for line in exhibit.lines if wanted in line.bugs)  # fmt: skip
    return next(pages, "")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((TEXTS / f"{name}.toml").read_text(encoding="utf-8"))


def _exhibit(name: str, told: dict[str, Any]) -> Exhibit:
    lines = (Line(value["key"], value["label"], value["code"].strip(), value["shows"],
                  tuple(value["bugs"])) for value in told.pop("line"))  # fmt: skip
    right = Line(RIGHT, common()["right-label"], "", common()["right-note"])
    knobs = (Knob(**{**value, "values": tuple(value["values"])}) for value in told.pop("knob"))
    facts = {**told.pop("facts"), "same": {}}
    heads = {key: told.pop(key) for key in ("place", "title", "lead")}
    return Exhibit(
        name=name, exercises=tuple(told.pop("exercises")), lines=(*lines, right),
        knobs=tuple(knobs), facts=tuple(map(_fact, facts, facts.values())), look=told, **heads,
    )  # fmt: skip


def _fact(key: str, told: dict[str, str]) -> Fact:
    """A fact; what it does not say of itself is the same in all exhibits."""
    return Fact(key, **{**common()["facts"].get(key, {}), **told})
