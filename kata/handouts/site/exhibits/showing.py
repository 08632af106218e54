"""One state of an exhibit as texts: cells, claims and the sentence that sums them up."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from kata.handouts.site.exhibits.exhibit import (
    RIGHT,
    Exhibit,
    Fact,
    Line,
    common,
    inputs,
    measured,
    wrong,
)
from kata.handouts.site.exhibits.layers import FORMULAS
from kata.handouts.site.exhibits.weights import CLOSE, Measure, Result

SMALL, LARGE = 0.0005, 10_000  # beyond them, numbers have exponents


@dataclass(frozen=True)
class Cell:
    """A number of a map."""

    text: str
    share: float  # of the strongest colour
    hue: int  # −1 in a heat map
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
    """A state as its reader sees it. Without `got` the line raises an error."""

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
        MeasuredFact(fact, measure, fact.measured.format_map({k: short(v) for k, v in
             measure.numbers.items()})) for fact, measure in measured(exhibit, state)
    )  # fmt: skip


def short(value: float | str) -> str:
    """A number in few digits, the way the page writes it, too."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'−' if value < 0 else ''}∞"
    if value == 0 or (round(value) and abs(value - round(value)) < CLOSE and abs(value) < LARGE):
        return str(round(value)).replace("-", "−")
    if not SMALL <= abs(value) < LARGE:
        digits, exponent = f"{value:.0e}".split("e")
        return f"{digits}e{int(exponent)}".replace("-", "−")
    return f"{value:.{2 if abs(value) >= 10 * SMALL else 3}f}".replace("-", "−")


def summary(line: Line, facts: tuple[MeasuredFact, ...]) -> str:
    """The sentence on how many cells are wrong and how many claims fail."""
    words = common()
    if not facts:
        return str(words["summary-raised"].format(label=line.label))
    count = facts[-1].measure.numbers["count"]
    fails = sum(fact.measure.holds is False for fact in facts)
    unseen = "summary-elsewhere" if fails else "summary-unseen"
    kind = "summary-right" if line.key == RIGHT else "summary" if count else unseen
    how = {0: "fails-none", 1: "fails-one"}.get(fails, "fails-some")
    numbers = facts[-1].measure.numbers
    return str(
        words[kind].format(label=line.label, fails=words[how].format(number=fails), **numbers)
    )


def _tables(exhibit: Exhibit, state: Result, name: str) -> Iterator[Table]:
    values = state.groups.get(name)
    if values is None:
        return
    bad = (
        wrong(state.right, values) if name == "got" else torch.zeros_like(values, dtype=torch.bool)
    )
    _, height, width = values.shape
    rows, columns = _names(exhibit, name, "rows", height), _names(exhibit, name, "columns", width)
    for at, block in enumerate(zip(values.tolist(), bad.tolist(), strict=True)):
        pairs = (zip(*line, strict=True) for line in zip(*block, strict=True))
        cells = (tuple(_cell(exhibit, state, *pair) for pair in line) for line in pairs)
        yield Table(_block(exhibit, name, at), columns, tuple(zip(rows, cells, strict=True)))


def _look(exhibit: Exhibit, name: str, what: str) -> Any:
    """The labels of something; what a line works on may have labels of its own."""
    own = exhibit.look.get(f"given-{what}") if name == "given" else None
    return own or exhibit.look.get(what)


def _names(exhibit: Exhibit, name: str, axis: str, size: int) -> tuple[str, ...]:
    words = exhibit.look.get("names")
    letter = _look(exhibit, name, axis)[0]
    return tuple(words) if words else tuple(f"{letter}{at}" for at in range(size))


def _block(exhibit: Exhibit, name: str, block: int) -> str:
    if names := exhibit.look.get("given-names" if name == "given" else "block-names"):
        return str(names[block])
    word = (_look(exhibit, name, "blocks") or [""])[0]
    return f"{word} {block}" if word else ""


def _cell(exhibit: Exhibit, state: Result, value: float, wrong: bool) -> Cell:
    most = float(state.right.abs().max()) or 1.0
    share = min(1.0, abs(value) / most) if math.isfinite(value) else 0.0
    hue = state.hue(int(value)) if state.hue else -1
    text = written(exhibit, value)
    return Cell(text, 0.0 if state.hue else share, hue, value < 0, wrong)


def written(exhibit: Exhibit, value: float) -> str:
    """A number of a map: with letters or leading zeros where it tells where it comes from."""
    if letters := exhibit.look.get("letters"):
        return f"{letters[int(value) // 100]}{int(value) % 100:02}"
    digits = exhibit.look.get("digits")
    if digits:
        return f"{int(value):0{digits}}"
    return "≈0" if 0 < abs(value) < CLOSE else short(value)
