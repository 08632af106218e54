"""Exhibits, read from their texts: lines, knobs, the numbers they compute from, and measures."""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kata.handouts.site.exhibits.weights import CLOSE, Measure, Result, largest

TEXTS = Path(__file__).parent / "texts"
RIGHT = "right"  # the line without its code
WORDS = ["the", "cat", "saw", "the", "dog"]
ALIKE = 1e-6  # two numbers that nobody has to tell apart


@dataclass(frozen=True)
class Line:
    """A line of code that can be chosen.

    Attributes:
        key: its name in the address.
        label: what is wrong, in a few words.
        code: as its author wrote it; "" for the right line, which no page gives away.
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
    """A choice of several values: a slider, or words to choose from."""

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
        """The place of its first value among all."""
        return self.values.index(self.start)


@dataclass(frozen=True)
class Fact:
    """A claim, and a template for what was measured; see `facts.py`."""

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
        """The values that the knobs have at first."""
        return {knob.key: knob.start for knob in self.knobs}

    @property
    def bugs(self) -> tuple[str, ...]:
        """All wrong answers that its lines show."""
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


def _normal(seed: int, *shape: int, spread: float = 1.0) -> Any:
    drawn = np.random.RandomState(seed).standard_normal(shape) * spread
    return (drawn.round(2) + 0.0).tolist()


def _even(seed: int, *shape: int, low: float = 0.0) -> Any:
    return (np.random.RandomState(seed).uniform(low, 1, shape).round(2) + 0.0).tolist()


def _bits(seed: int, rows: int, digits: int) -> list[str]:
    drawn = np.random.RandomState(seed).randint(0, 16, (rows, digits))
    return ["".join(f"{digit:x}" for digit in row) for row in drawn]


def _fills() -> dict[str, Any]:
    """The first query has the lowest of all scores, which is what finds a fill too high."""
    scores = _even(6, 5, 5, low=-1.0)
    scores[0][0] = -1.0
    return {"scores": scores}


def _norm() -> dict[str, Any]:
    rows = _normal(3, 3, 6)
    rows[1] = [round(3 + value * 2, 2) for value in rows[1]]  # far from zero
    rows[2] = [0.0] * 6  # padding
    return {"x": rows}


def _positions() -> dict[str, Any]:
    """The same word has the same query and the same key wherever it stands."""
    kinds = sorted(set(WORDS))
    places = [kinds.index(word) for word in WORDS]
    query, key = ([_normal(seed, len(kinds), 4, spread=1.2)[at] for at in places]
                  for seed in (5, 8))  # fmt: skip
    return {"query": query, "key": key, "twice": [0, 3]}


INPUTS: dict[str, Callable[[], dict[str, Any]]] = {
    "masks": lambda: {"scores": _normal(2, 7, 7, spread=1.2)},
    "fills": _fills,
    "empty-rows": lambda: {"scores": _normal(4, 5, 5)},
    "scale": lambda: {"query": _bits(1, 5, 128), "key": _bits(2, 5, 128)},
    "axis": lambda: {"scores": _normal(7, 3, 4, 5, spread=1.2)},
    "dropout": lambda: {"scores": _normal(9, 5, 5), "drawn": _even(1, 5, 5)},
    "split": lambda: {"tokens": 4, "features": 6},
    "merge": lambda: {"width": 2},
    "fused": lambda: {"width": 2},
    "norm": _norm,
    "leak": lambda: {"scores": _normal(11, 4, 6, 6)},
    "positions": _positions,
}


@cache
def inputs(name: str) -> dict[str, Any]:
    """The numbers of one exhibit."""
    return INPUTS[name]()


def measured(exhibit: Exhibit, result: Result) -> list[tuple[Fact, Measure]]:
    """All facts of an exhibit in one state; none if the line raises an error."""
    if result.got is None:
        return []
    measures = {**_common(result, result.got), **result.facts}
    return [(fact, measures[fact.key]) for fact in exhibit.facts]


def wrong(right: Tensor, got: Tensor) -> Tensor:
    """A mask of the cells whose numbers differ from those of the first map, or are not in it."""
    shared = tuple(slice(min(sizes)) for sizes in zip(right.shape, got.shape, strict=True))
    bad = torch.ones_like(got, dtype=torch.bool)
    bad[shared] = ~((got[shared] - right[shared]).abs() <= ALIKE)  # NaN is wrong
    return bad


def _common(result: Result, got: Tensor) -> dict[str, Measure]:
    facts = {"same": _same(result.right, got), "finite": _finite(got), "sums": _sums(got)}
    return facts if result.hidden is None else {**facts, "hidden": _hidden(got, result.hidden)}


def _same(right: Tensor, got: Tensor) -> Measure:
    count = int(wrong(got, right).sum())
    return Measure({"count": count, "total": right.numel()}, count == 0)


def _finite(got: Tensor) -> Measure:
    count = int((~got.isfinite()).sum())
    return Measure({"count": count, "total": got.numel()}, count == 0)


def _sums(got: Tensor) -> Measure:
    """A row with NaN has no sum, and breaks the claim; the highest sum is then NaN."""
    sums = got.sum(dim=-1)
    finite = sums[~sums.isnan()]
    low = float(finite.min()) if finite.numel() else math.nan
    holds = bool(((sums - 1).abs() < CLOSE).all())
    return Measure({"low": low, "high": float(sums.max())}, holds)


def _hidden(got: Tensor, hidden: Tensor) -> Measure:
    values = got[:, hidden]
    return Measure({"value": largest(values)}, bool((values == 0).all()))
