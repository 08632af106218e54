"""One table of numbers as a heat map: SVG for a notebook, characters for everything else."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape

from kata.judging.describe import number

CELL = 38  # pixels
SMALL = 16  # of a cell in a large map, which has no figures in it
MOST_FIGURES = 12  # columns
BLUE, ORANGE = "#4a90d9", "#d9822b"  # behind black letters and behind white ones; not below zero
UNKNOWN = "#999999"  # NaN and infinity
FONT = "font-family:ui-monospace,monospace;font-size:11px;fill:currentColor"
SHADES = "·░▒▓█"


@dataclass(frozen=True)
class Grid:
    """A title, and the rows of numbers below it."""

    title: str
    rows: tuple[tuple[float, ...], ...]

    @cached_property
    def most(self) -> float:
        """The largest distance from zero."""
        sizes = [abs(value) for row in self.rows for value in row if math.isfinite(value)]
        return max(sizes, default=0.0) or 1.0


def grid(drawn: Grid) -> str:
    """A figure with its title; every cell says its number to a mouse and to a screen reader."""
    columns = max(map(len, drawn.rows))
    size = CELL if columns <= MOST_FIGURES else SMALL
    width, height = columns * size + 2, len(drawn.rows) * size + 2
    title = escape(drawn.title)
    caption = f'<div style="max-width:{max(width, 150)}px;margin-bottom:4px">{title}</div>'
    says = escape(f"{drawn.title}: {len(drawn.rows)} rows, {columns} columns")
    head = f'<svg width="{width}" height="{height}" role="img" aria-label="{says}">'
    return f"<div>{caption}{head}{''.join(_cells(drawn, size))}</svg></div>"


def _cells(drawn: Grid, size: int) -> Iterator[str]:
    for y, row in enumerate(drawn.rows):
        for x, value in enumerate(row):
            yield _cell(value, drawn.most, (1 + x * size, 1 + y * size), size)


def _cell(value: float, most: float, place: tuple[int, int], size: int) -> str:
    x, y = place
    colour = UNKNOWN if not math.isfinite(value) else BLUE if value >= 0 else ORANGE
    share = abs(value) / most if math.isfinite(value) else 1.0
    look = f'fill="{colour}" fill-opacity="{share:.2f}" stroke="#888" stroke-opacity="0.5"'
    box = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" {look}>'
    text = f"{box}<title>{number(value)}</title></rect>"
    if size == SMALL:
        return text
    middle = f'x="{x + size // 2}" y="{y + size // 2 + 4}" text-anchor="middle"'
    return f'{text}<text {middle} style="{FONT}">{short(value)}</text>'


def short(value: float) -> str:
    """A number in a few characters."""
    if not math.isfinite(value):
        return str(value).replace("inf", "∞")
    if value.is_integer() and abs(value) < 10_000:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.0e}".replace("e+0", "e")


def as_text(drawn: Grid) -> str:
    """The map with a shade for each number, as on a board."""
    lines = [" ".join(_shade(value, drawn.most) for value in row) for row in drawn.rows]
    return "\n".join([drawn.title, *lines] if drawn.title else lines)


def _shade(value: float, most: float) -> str:
    if not math.isfinite(value):
        return "?"
    share = abs(value) / most
    return SHADES[0] if share == 0 else SHADES[min(4, 1 + int(share * 4))]
