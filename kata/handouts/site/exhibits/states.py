"""The states of an exhibit: a line and a value of every knob, their maps and measures, as texts."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kata.handouts.drawing import number
from kata.handouts.figures.answers import tensor
from kata.handouts.site.exhibits import layers, weights
from kata.handouts.site.exhibits.exhibit import RIGHT, Exhibit, Fact, Line, common
from kata.handouts.site.exhibits.weights import CLOSE, Formula, Measure, Result, largest

FORMULAS: dict[str, Formula] = {
    "masks": weights.masks,
    "fills": weights.fills,
    "empty-rows": weights.empty_rows,
    "scale": weights.scale,
    "axis": weights.axis,
    "dropout": weights.dropout,
    "split": layers.split,
    "merge": layers.merge,
    "fused": layers.fused,
    "norm": layers.norm,
    "leak": layers.leak,
    "positions": layers.positions,
}
ALIKE = 1e-6  # two numbers that nobody has to tell apart
SMALL, LARGE = 0.0005, 10_000  # beyond them, numbers have exponents
WORDS = ["the", "cat", "saw", "the", "dog"]


@dataclass(frozen=True)
class Cell:
    """A number of a map.

    Attributes:
        text: the number in few characters.
        share: of the strongest colour.
        hue: the colour by its origin; −1 in a heat map.
        negative: whether it is below zero.
        wrong: whether it differs from the right map.
    """

    text: str
    share: float
    hue: int
    negative: bool
    wrong: bool


@dataclass(frozen=True)
class Table:
    """A block of a map with the names of its rows and columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class MeasuredFact:
    """A fact with its measure, in numbers and in words."""

    fact: Fact
    measure: Measure
    text: str


@dataclass(frozen=True)
class View:
    """A state as its reader sees it; `got` is empty if the line raises an error."""

    line: Line
    operand: tuple[Table, ...]
    right: tuple[Table, ...]
    got: tuple[Table, ...]
    facts: tuple[MeasuredFact, ...]
    summary: str


def result(exhibit: Exhibit, line: str, knobs: Mapping[str, Any]) -> Result:
    """The result of the formula of an exhibit in one state."""
    return FORMULAS[exhibit.name](inputs(exhibit.name), line, knobs)


def still(exhibit: Exhibit) -> View:
    """The view of the first line, with every knob where it stands at first."""
    return view(exhibit, exhibit.lines[0], exhibit.start)


def view(exhibit: Exhibit, line: Line, knobs: Mapping[str, Any]) -> View:
    """The view of one state."""
    state = result(exhibit, line.key, knobs)
    facts = measured_facts(exhibit, state)
    operand, right, got = (
        tuple(_tables(exhibit, state, name)) for name in ("given", "right", "got")
    )
    return View(line, operand, right, got, facts, summary(line, facts))


def measured_facts(exhibit: Exhibit, state: Result) -> tuple[MeasuredFact, ...]:
    """All facts with their measures; none if the line raises an error."""
    return tuple(
        MeasuredFact(fact, measure, _measured_text(fact, measure))
        for fact, measure in measures(exhibit, state)
    )


def _measured_text(fact: Fact, measure: Measure) -> str:
    numbers = {name: short(value) for name, value in measure.numbers.items()}
    return fact.measured.format_map(numbers)


def short(value: float | str) -> str:
    """A number in few digits, as the script of the page writes it."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'−' if value < 0 else ''}∞"
    size, whole = abs(value), round(value)
    if value == 0 or (whole and abs(value - whole) < CLOSE and size < LARGE):
        return number(value, 0)
    if not SMALL <= size < LARGE:
        digits, exponent = f"{value:.0e}".split("e")
        return f"{digits}e{int(exponent)}".replace("-", "−")
    return number(value, 2 if size >= 10 * SMALL else 3)


def summary(line: Line, facts: tuple[MeasuredFact, ...]) -> str:
    """The sentence on how many cells are wrong and how many claims fail."""
    words = common()
    if not facts:
        return str(words["summary-raised"].format(label=line.label))
    numbers = facts[-1].measure.numbers
    count = sum(fact.measure.holds is False for fact in facts)
    unseen = "summary-elsewhere" if count else "summary-unseen"
    kind = "summary-right" if line.key == RIGHT else "summary" if numbers["count"] else unseen
    key = {0: "fails-none", 1: "fails-one"}.get(count, "fails-some")
    fails = words[key].format(number=count)
    return str(words[kind].format(label=line.label, fails=fails, **numbers))


def _tables(exhibit: Exhibit, state: Result, name: str) -> Iterator[Table]:
    values = state.groups.get(name)
    if values is None:
        return
    none = torch.zeros_like(values, dtype=torch.bool)
    bad = wrong_cells(state.right, values) if name == "got" else none
    _, height, width = values.shape
    rows, columns = _names(exhibit, name, "rows", height), _names(exhibit, name, "columns", width)
    for at, block in enumerate(zip(values.tolist(), bad.tolist(), strict=True)):
        pairs = (zip(*line, strict=True) for line in zip(*block, strict=True))
        cells = (tuple(_cell(exhibit, state, *pair) for pair in line) for line in pairs)
        yield Table(_block(exhibit, name, at), columns, tuple(zip(rows, cells, strict=True)))


def _labels(exhibit: Exhibit, name: str, axis: str) -> Any:
    """The labels along an axis of a map; the operand of a line may have labels of its own."""
    own = exhibit.look.get(f"given-{axis}") if name == "given" else None
    return own or exhibit.look.get(axis)


def _names(exhibit: Exhibit, name: str, axis: str, size: int) -> tuple[str, ...]:
    words = exhibit.look.get("names")
    letter = _labels(exhibit, name, axis)[0]
    return tuple(words) if words else tuple(f"{letter}{at}" for at in range(size))


def _block(exhibit: Exhibit, name: str, block: int) -> str:
    if names := exhibit.look.get("given-names" if name == "given" else "block-names"):
        return str(names[block])
    word = (_labels(exhibit, name, "blocks") or [""])[0]
    return f"{word} {block}" if word else ""


def _cell(exhibit: Exhibit, state: Result, value: float, bad: bool) -> Cell:
    most = float(state.right.abs().max()) or 1.0
    share = min(1.0, abs(value) / most) if math.isfinite(value) else 0.0
    hue = state.hue(int(value)) if state.hue else -1
    text = cell_text(exhibit, value)
    return Cell(text, 0.0 if state.hue else share, hue, value < 0, bad)


def cell_text(exhibit: Exhibit, value: float) -> str:
    """A number of a map; one that stands for its origin has letters or leading zeros."""
    if letters := exhibit.look.get("letters"):
        return f"{letters[int(value) // 100]}{int(value) % 100:02}"
    digits = exhibit.look.get("digits")
    if digits:
        return f"{int(value):0{digits}}"
    return "≈0" if 0 < abs(value) < CLOSE else short(value)


# ---- the measures
def measures(exhibit: Exhibit, state: Result) -> list[tuple[Fact, Measure]]:
    """The facts of an exhibit with their measures; none if the line raises an error."""
    if state.got is None:
        return []
    by_key = {**_common_measures(state, state.got), **state.facts}
    return [(fact, by_key[fact.key]) for fact in exhibit.facts]


def wrong_cells(right: Tensor, got: Tensor) -> Tensor:
    """A mask of the cells whose numbers differ from those of the first map, or are not in it."""
    shared = tuple(slice(min(sizes)) for sizes in zip(right.shape, got.shape, strict=True))
    bad = torch.ones_like(got, dtype=torch.bool)
    bad[shared] = ~((got[shared] - right[shared]).abs() <= ALIKE)  # NaN is wrong
    return bad


def _common_measures(state: Result, got: Tensor) -> dict[str, Measure]:
    """The measures of the facts that every exhibit may have."""
    by_key = {"same": _same(state.right, got), "finite": _finite(got), "sums": _sums(got)}
    return by_key if state.hidden is None else {**by_key, "hidden": _hidden(got, state.hidden)}


def _same(right: Tensor, got: Tensor) -> Measure:
    count = int(wrong_cells(got, right).sum())
    return Measure({"count": count, "total": right.numel()}, count == 0)


def _finite(got: Tensor) -> Measure:
    count = int((~got.isfinite()).sum())
    return Measure({"count": count, "total": got.numel()}, count == 0)


def _sums(got: Tensor) -> Measure:
    # A row with NaN has no sum, and breaks the claim; the highest sum is then NaN.
    sums = got.sum(dim=-1)
    finite = sums[~sums.isnan()]
    low = float(finite.min()) if finite.numel() else math.nan
    holds = bool(((sums - 1).abs() < CLOSE).all())
    return Measure({"low": low, "high": float(sums.max())}, holds)


def _hidden(got: Tensor, hidden: Tensor) -> Measure:
    values = got[:, hidden]
    return Measure({"value": largest(values)}, bool((values == 0).all()))


# ---- the numbers that formulas compute from
def _normal(seed: int, *shape: int, spread: float = 1.0) -> Any:
    return tensor(seed, *shape, spread=spread, digits=2).tolist()


def _even(seed: int, *shape: int, low: float = 0.0) -> Any:
    return (np.random.RandomState(seed).uniform(low, 1, shape).round(2) + 0.0).tolist()


def _bits(seed: int, rows: int, digits: int) -> list[str]:
    table = np.random.RandomState(seed).randint(0, 16, (rows, digits))
    return ["".join(f"{digit:x}" for digit in row) for row in table]


def _fills() -> dict[str, Any]:
    # With the lowest score at the first query, a fill that is too high shows.
    scores = _even(6, 5, 5, low=-1.0)
    scores[0][0] = -1.0
    return {"scores": scores}


def _norm() -> dict[str, Any]:
    rows = _normal(3, 3, 6)
    rows[1] = [round(3 + value * 2, 2) for value in rows[1]]  # far from zero
    rows[2] = [0.0] * 6  # padding
    return {"x": rows}


def _positions() -> dict[str, Any]:
    # The same word has the same query and the same key wherever it stands.
    kinds = sorted(set(WORDS))
    places = [kinds.index(word) for word in WORDS]
    queries, keys = (_normal(seed, len(kinds), 4, spread=1.2) for seed in (5, 8))
    query, key = ([vectors[at] for at in places] for vectors in (queries, keys))
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
