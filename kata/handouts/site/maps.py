"""The heat maps of a failing claim as grids of cells, ready to be drawn."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from kata.terminal.heatmaps import Layer, layers
from kata.verdict import Picture

WIDTH, HEIGHT = 38, 30  # of a cell
FAINTEST = 0.06  # a cell that is not zero can be told from one that is


@dataclass(frozen=True)
class Cell:
    """One number: where it stands, how it is written, how dark it is, and whether it is wrong."""

    x: int
    y: int
    text: str
    share: float
    wrong: bool


@dataclass(frozen=True)
class Grid:
    """One map: its title, its kind, and its rows."""

    title: str
    kind: str  # "expected", "got" or "gap"
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def width(self) -> int:
        """All columns together."""
        return WIDTH * len(self.rows[0])

    @property
    def height(self) -> int:
        """All rows together."""
        return HEIGHT * len(self.rows)


def grids(picture: Picture) -> Iterator[Grid]:
    """Expected, got, and how far they are apart."""
    return (Grid(each.title, each.kind, _rows(each)) for each in layers(picture))


def _rows(layer: Layer) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        tuple(
            Cell(WIDTH * x, HEIGHT * y, short(value), _share(value, layer.most), bad)
            for x, (value, bad) in enumerate(zip(*row, strict=True))
        )
        for y, row in enumerate(zip(layer.values, layer.wrong, strict=True))
    )


def _share(value: float, most: float) -> float:
    if not math.isfinite(value) or value == 0 or most == 0:
        return 0.0
    return round(max(abs(value) / most, FAINTEST), 3)


def short(value: float) -> str:
    """A number in a few characters; without a point only if it is whole."""
    size = abs(value)
    if not math.isfinite(value) or (size < 1000 and value.is_integer()):
        return f"{value:.0f}"
    if 0.005 <= size < 1000:
        return f"{value:.2f}"
    return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
