"""A picture of a claim as grids of cells, ready to be drawn on a page."""

import math
from dataclasses import dataclass

from kata.judging.describe import number
from kata.terminal.heatmaps import GAP, Layer, layers
from kata.verdict import Picture

ROOMY = 6  # columns: in no more, cells are wide enough for their numbers
LONGEST = 5  # characters in such a cell


@dataclass(frozen=True)
class Cell:
    """One number: how dark it is, what stands in it, and whether it is wrong."""

    share: float
    text: str
    value: str
    wrong: bool


@dataclass(frozen=True)
class Map:
    """One grid: its title, its cells row by row, and where in the whole they begin."""

    title: str
    cells: list[list[Cell]]
    picture: Picture
    gap: bool = False

    @property
    def roomy(self) -> bool:
        """Whether numbers fit into the cells."""
        return len(self.cells[0]) <= ROOMY

    @property
    def wrong(self) -> int:
        """How many cells are."""
        return sum(cell.wrong for row in self.cells for cell in row)


def maps(picture: Picture) -> list[Map]:
    """Expected, got, and how far they are apart."""
    return [
        Map(each.title, _cells(each), picture, gap=each.kind == GAP) for each in layers(picture)
    ]


def _cells(layer: Layer) -> list[list[Cell]]:
    roomy = len(layer.values[0]) <= ROOMY
    return [
        [_cell(value, bad, layer.most, roomy) for value, bad in zip(*rows, strict=True)]
        for rows in zip(layer.values, layer.wrong, strict=True)
    ]


def _cell(value: float, wrong: bool, most: float, roomy: bool) -> Cell:
    share = abs(value) / most if math.isfinite(value) and most else 0.0
    return Cell(round(share, 3), _text(value) if roomy else _sign(value), number(value), wrong)


def _text(value: float) -> str:
    """The number, if it is short."""
    if not math.isfinite(value):
        return number(value)
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text if len(text) <= LONGEST else _sign(value)


def _sign(value: float) -> str:
    return "?" if not math.isfinite(value) else "−" if value < 0 else ""
