"""The parts of figures: cells with numbers, stacked sheets, axes, arrows, curves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kata.handouts.drawing import Box, Drawing, number
from kata.palette import BLUE, HAIR, HUES, INK, MUTED, PAPER, WHITE, Hue

CELL = 25.0, 18.0  # width and height
PAD = 3.0  # between a sheet and its cells
BEHIND = 5.0  # how far the sheets of other samples stick out
DARK = 0.78  # the share of the most from which letters are white, not dark
DASHES = ("", "5 2", "1.5 2")  # so that curves differ without colour


@dataclass(frozen=True)
class Cell:
    """One place of a table.

    Attributes:
        text: the letters in it.
        fill: its colour.
        share: the opacity of that colour.
        ink: the colour of the text.
        rules: the lines under the text, by which hues differ without colour.
        edge: the colour of its outline.
        hidden: whether it is struck through.
    """

    text: str = ""
    fill: str = PAPER
    share: float = 1.0
    ink: str = INK
    rules: int = 0
    edge: str = WHITE
    hidden: bool = False


def hued(text: object, hue: int) -> Cell:
    """A cell in one of the four colours, with its sign."""
    return Cell(str(text), HUES[hue].light, ink=HUES[hue].dark, rules=hue)


def coloured(value: float, hue: int, digits: int = 1) -> Cell:
    """A number in one of the four colours."""
    return hued(number(value, digits), hue)


def heated(value: float, digits: int = 2, most: float = 1.0, hue: Hue = BLUE) -> Cell:
    """A number from nothing to `most`, the darker the larger."""
    share = round(min(max(float(value) / most, 0.0), 1.0), 2)
    text = number(value, digits)
    if share == 0:
        return Cell(text, PAPER, ink=MUTED)
    return Cell(text, hue.dark, 0.06 + 0.9 * share, WHITE if share > DARK else INK)


def struck(text: str = "") -> Cell:
    """A hidden cell, struck through."""
    return Cell(text, PAPER, ink=MUTED, hidden=True)


def truth(value: bool) -> Cell:
    """A place of a mask: a one, or struck through."""
    return hued(1, 0) if value else struck()


def weight(share: float, hue: Hue = BLUE) -> Cell:
    """A weight; one of exactly zero is struck through."""
    return heated(share, hue=hue) if share else struck("0")


def outlined(cell: Cell, ink: str = INK) -> Cell:
    """The same cell with an edge, to draw attention to it."""
    return replace(cell, edge=ink)


def plain(value: float, digits: int = 1) -> Cell:
    """A number without a colour."""
    return Cell(number(value, digits))


def cells(values: Any, make: Callable[..., Cell], *more: Any) -> list[list[Cell]]:
    """A table of cells, made from the numbers in the same place of one table or of several."""
    tables = [np.asarray(table).tolist() for table in (values, *more)]
    return [
        [make(*numbers) for numbers in zip(*row, strict=True)] for row in zip(*tables, strict=True)
    ]


def headed(
    page: Drawing,
    x: float,
    y: float,
    table: Sequence[Sequence[Cell]],
    size: tuple[float, float],
    words: str,
    *,
    letters: float = 8.5,
    ink: str = INK,
    mono: bool = False,
) -> Box:
    """Draw cells with a heading."""
    box = grid(page, x, y, table, size)
    page.text(box.middle, y - 8, words, size=letters, ink=ink, mono=mono)
    return box


def grid(
    page: Drawing,
    x: float,
    y: float,
    table: Sequence[Sequence[Cell]],
    size: tuple[float, float] = CELL,
) -> Box:
    """Draw cells row by row; those with an edge come last, so that nothing covers it."""
    width, height = size
    placed = [
        (Box(x + width * column, y + height * row, width, height), cell)
        for row, line in enumerate(table)
        for column, cell in enumerate(line)
    ]
    for box, cell in sorted(placed, key=lambda place: place[1].edge != WHITE):
        _cell(page, box, cell)
    return Box(x, y, width * len(table[0]), height * len(table))


def _cell(page: Drawing, box: Box, cell: Cell) -> None:
    marked = cell.edge != WHITE
    if cell.share < 1:
        page.rect(box, fill=WHITE)
    page.rect(box, fill=cell.fill, share=cell.share, edge=cell.edge, thick=1.3 if marked else 0.8)
    if cell.hidden:
        page.line((box.x + 2, box.bottom - 2), (box.right - 2, box.y + 2), ink=HAIR, thick=1.0)
    if cell.text:
        page.text(box.middle, box.centre, cell.text, size=8, ink=cell.ink, mono=True)
    _rules(page, box, cell)


def _rules(page: Drawing, box: Box, cell: Cell) -> None:
    """Draw no line, one, a dotted one or two: four hues in black and white."""
    left, right, low = box.middle - 5, box.middle + 5, box.bottom - 2.8
    if cell.rules:
        dash = "1.2 1.6" if cell.rules == 2 else ""
        page.line((left, low), (right, low), ink=cell.ink, thick=0.8, dash=dash)
    if cell.rules == 3:
        page.line((left, low - 1.7), (right, low - 1.7), ink=cell.ink, thick=0.8)


def sheet(page: Drawing, inside: Box, behind: int = 0, edge: str = HAIR) -> Box:
    """Draw the paper around cells, with the sheets of other samples behind it."""
    box = Box(inside.x - PAD, inside.y - PAD, inside.width + 2 * PAD, inside.height + 2 * PAD)
    for step in range(behind, 0, -1):
        away = step * BEHIND
        page.rect(replace(box, x=box.x + away, y=box.y - away), fill=PAPER, edge=HAIR, corner=2.5)
    page.rect(box, fill=WHITE, edge=edge, thick=0.7 if edge == HAIR else 1.1, corner=2.5)
    return box


def axis_x(
    page: Drawing, x: float, y: float, width: float, words: str, ink: str = MUTED, size: float = 9
) -> None:
    """Draw a rule over columns, with their label."""
    page.line((x + 1, y), (x + width - 1, y), ink=ink, thick=0.8)
    page.text(x + width / 2, y - 7, words, ink=ink, size=size)


def axis_y(page: Drawing, x: float, y: float, height: float, words: str, ink: str = MUTED) -> None:
    """Write a vertical label for rows."""
    page.text(x, y + height / 2, words, ink=ink, turned=True)


def step(
    page: Drawing, x: float, y: float, length: float, words: str = "", mono: bool = True
) -> float:
    """Draw an arrow to the right with its operation above; return the x of its end."""
    if words:
        page.text(x + length / 2, y - 8, words, size=8.5, ink=INK, mono=mono)
    page.arrow((x, y), (x + length, y))
    return x + length


def bent_arrow(
    page: Drawing,
    start: tuple[float, float],
    turn: float,
    end: tuple[float, float],
    ink: str = MUTED,
) -> None:
    """Draw an arrow across to the x of a turn, then up or down, then across to its end."""
    page.arrow(start, (turn, start[1]), (turn, end[1]), end, ink=ink)


def labels_x(
    page: Drawing, x: float, y: float, words: Sequence[str], width: float = CELL[0]
) -> None:
    """Write words over the columns."""
    for at, word in enumerate(words):
        page.text(x + width * (at + 0.5), y, word, size=8)


def labels_y(
    page: Drawing, x: float, y: float, words: Sequence[str], height: float = CELL[1]
) -> None:
    """Write words before the rows."""
    for at, word in enumerate(words):
        page.text(x, y + height * (at + 0.5), word, size=8, anchor="end")


def part(
    page: Drawing,
    place: Box,
    words: str,
    hue: Hue | None = None,
    size: float = 9,
    mono: bool = False,
) -> Box:
    """Draw a part of a machine: a box with its name in it."""
    fill, edge, ink = (hue.light, hue.dark, hue.dark) if hue else (PAPER, MUTED, INK)
    page.rect(place, fill=fill, edge=edge, thick=0.8, corner=3)
    page.text(place.middle, place.centre, words, ink=ink, size=size, mono=mono)
    return place


@dataclass(frozen=True)
class Axis:
    """The scale along a side, and the words at its ticks."""

    least: float
    most: float
    ticks: Sequence[tuple[float, str]]
    words: str = ""

    def share(self, value: float) -> float:
        """The place of a value, from 0 to 1."""
        return (value - self.least) / (self.most - self.least)


def frame(page: Drawing, box: Box, across: Axis, up: Axis) -> None:
    """Draw the two axes, with hair lines at the ticks of the upright one."""
    for value, words in up.ticks:
        y = box.bottom - up.share(value) * box.height
        page.line((box.x, y), (box.right, y), ink=HAIR, thick=0.6)
        page.text(box.x - 4, y, words, size=8, anchor="end")
    for value, words in across.ticks:
        x = box.x + across.share(value) * box.width
        page.line((x, box.bottom), (x, box.bottom + 3))
        page.text(x, box.bottom + 10, words, size=8)
    page.line((box.x, box.y), (box.x, box.bottom), (box.right, box.bottom), ink=MUTED)
    page.text(box.middle, box.bottom + 21, across.words)
    page.text(box.x, box.y - 9, up.words, anchor="start", ink=INK)


def curve(
    page: Drawing, box: Box, across: Axis, up: Axis, heights: Sequence[float], **look: Any
) -> tuple[float, float]:
    """Draw a line through the heights at the whole numbers of the axis below; return its end."""
    points = [
        (box.x + across.share(x) * box.width, box.bottom - up.share(y) * box.height)
        for x, y in enumerate(heights)
    ]
    page.line(*points, **look)
    return points[-1]
