"""The heat maps of a failing claim: their cells, for everything that draws them, and as text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kata.judging.describe import number
from kata.terminal.style import Style
from kata.verdict import Picture
from kata.words import say

Values = Sequence[Sequence[float]]
EXPECTED, GOT, GAP = "expected", "got", "gap"
FAINTEST = 0.06  # a cell that is not zero can be told from one that is
BETWEEN = "   "  # what is between two maps in a terminal


@dataclass(frozen=True)
class Cell:
    """One number: how dark it is, from 0 to 1, and whether it is wrong."""

    value: float
    share: float
    wrong: bool

    @property
    def is_finite(self) -> bool:
        """Whether it is neither NaN nor infinite."""
        return math.isfinite(self.value)

    @property
    def exact(self) -> str:
        """The number as messages write it."""
        return number(self.value)

    @property
    def short(self) -> str:
        """The number in a few characters; without a point only if it is whole."""
        size = abs(self.value)
        if not self.is_finite or (size < 1000 and self.value.is_integer()):
            return f"{self.value:.0f}"
        if 0.005 <= size < 1000:
            return f"{self.value:.2f}"
        return f"{self.value:.0e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")

    @property
    def sign(self) -> str:
        """What a colour alone does not show, in one character."""
        return "?" if not self.is_finite else "-" if self.value < 0 else ""


@dataclass(frozen=True)
class Map:
    """One map: its kind, its title and its rows."""

    kind: str
    title: str
    rows: Sequence[Sequence[Cell]]

    @property
    def wrong(self) -> int:
        """How many cells are."""
        return sum(cell.wrong for row in self.rows for cell in row)


def maps(picture: Picture) -> tuple[Map, Map, Map]:
    """Expected, got and their difference; the same number is as dark in the first two."""
    place = say("terminal.got-at", where=picture.where) if picture.where else say("terminal.got")
    right = [[False] * len(row) for row in picture.expected]
    most, gap = max(_most(picture.expected), _most(picture.got)), _gap(picture)
    return (
        Map(EXPECTED, say("terminal.expected"), _cells(picture.expected, right, most)),
        Map(GOT, place, _cells(picture.got, picture.wrong, most)),
        Map(GAP, say("terminal.difference"), _cells(gap, picture.wrong, _most(gap))),
    )


def _gap(picture: Picture) -> Values:
    pairs = zip(picture.expected, picture.got, strict=True)
    return [[abs(a - b) for a, b in zip(*rows, strict=True)] for rows in pairs]


def _most(values: Values) -> float:
    return max((abs(each) for row in values for each in row if math.isfinite(each)), default=0.0)


def _cells(values: Values, wrong: Sequence[Sequence[bool]], most: float) -> list[list[Cell]]:
    return [
        [Cell(float(value), _share(value, most), bad) for value, bad in zip(*row, strict=True)]
        for row in zip(values, wrong, strict=True)
    ]


def _share(value: float, most: float) -> float:
    if not math.isfinite(value) or value == 0:
        return 0.0
    return round(max(abs(value) / most, FAINTEST), 3)


def heat_map(picture: Picture, style: Style) -> list[str]:
    """Expected beside got, rows are queries; a wrong cell is in brackets."""
    expected, got, _ = maps(picture)
    top = _top(expected) or _top(got)
    left, right = ([each.title, *(_line(row, top, style) for row in each.rows)]
                   for each in (expected, got))  # fmt: skip
    width = max(3 * len(picture.expected[0]), len(expected.title))
    if 4 + 2 * width + len(BETWEEN) <= max(style.width, 40):
        lines = [f"{a:<{width}}{BETWEEN}{b}" for a, b in zip(left, right, strict=True)]
    else:
        lines = [*left, *right]
    if picture.row or picture.column:
        lines.append(say("terminal.window", row=picture.row, column=picture.column))
    return [line.rstrip() for line in lines]


def _top(shown: Map) -> float:
    """Its largest number: the few shades of a terminal are spread from zero to what is expected."""
    values = (cell.value for row in shown.rows for cell in row if cell.is_finite)
    return max(0.0, *values)


def _line(row: Sequence[Cell], top: float, style: Style) -> str:
    cells = ((cell.sign or _shade(cell.value, top, style), cell.wrong) for cell in row)
    return "".join(style.paint(f"[{each}]", "red") if bad else f" {each} " for each, bad in cells)


def _shade(value: float, top: float, style: Style) -> str:
    return style.shades[min(4, 1 + int(3.999 * min(value / top, 1)))] if value else style.shades[0]
