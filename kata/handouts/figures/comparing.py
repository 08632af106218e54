"""A right answer beside a wrong one: two tables in the same colours, or two texts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import entry
from kata.handouts.figures.shapes import Cell, axis_x, axis_y, grid, heated, hued, outlined, struck
from kata.handouts.figures.texts import label
from kata.handouts.palette import BLUE, HAIR, INK, ORANGE, PAPER, WHITE

TOP, LEFT, BETWEEN = 42.0, 26.0, 54.0
EDGE = 26.0  # for a title that is wider than its table
HIGH = 19.0  # a row
NAMES = 62.0  # for the names of rows
LINE, LETTERS = 12.0, 46  # of an answer in words


@dataclass(frozen=True)
class Comparison:
    """A computation with both answers, and the look of its results.

    Attributes:
        ask: a table of numbers or truths, or a text, of an answer.
        rows: what a row is; a key of the texts, like the next one.
        columns: what a column is.
        digits: of a number.
        hue: the colour of a number by its origin; None for a heat map.
        share: whether shades are relative to the largest number of each table.
        names: of the rows; keys of the texts.
    """

    ask: Callable[[Any], Any]
    rows: str = ""
    columns: str = ""
    digits: int = 2
    hue: Callable[[int], int] | None = None
    share: bool = False
    names: tuple[str, ...] = ()


def compared(slug: str, bug: str, how: Comparison, right: Any, wrong: Any) -> Figure:
    """Draw both answers side by side, with the texts of the catalogue."""
    mistake = entry(slug, bug)
    if isinstance(right, str):
        page, alt = _words(right, wrong), label("mistakes", "alt-words", right=right, wrong=wrong)
    else:
        page, framed = _tables(how, right, wrong)
        names = {
            name: label("mistakes", f"axis-{getattr(how, name)}") for name in ("rows", "columns")
        }
        count = sum(map(sum, framed))
        alt = label("mistakes", "alt", count=count, total=sum(map(len, framed)), **names)
    return page.figure(mistake.title, f"{alt} {mistake.symptom}", mistake.symptom)


def _words(right: str, wrong: str) -> Drawing:
    """Write what each of the two answers returned or raised."""
    page = Drawing(2 * (LETTERS * 5.2 + 24))
    for at, (said, hue) in enumerate(((right, BLUE), (wrong, ORANGE))):
        lines = wrap(said, LETTERS)
        box = Box(8 + at * page.width / 2, TOP - 16, page.width / 2 - 16, LINE * 4 + 8)
        page.text(box.x, 12, label("mistakes", ("right", "got")[at]), ink=hue.dark, anchor="start")
        page.rect(box, fill=PAPER, edge=hue.dark, corner=2)
        for row, line in enumerate(lines):
            y = box.y + 10 + row * LINE
            page.text(box.x + 8, y, line, size=8, ink=INK, mono=True, anchor="start")
    return page


def _tables(how: Comparison, right: Any, wrong: Any) -> tuple[Drawing, list[list[bool]]]:
    """Two tables; in the second, numbers that differ from the first have an edge."""
    tables = both_tables(how, right, wrong)
    size = (34.0 if how.digits else 26.0), HIGH
    widths = [len(table[0]) * size[0] for table in tables]
    left = LEFT + (NAMES if how.names else 0)
    page = Drawing(2 * left + sum(widths) + BETWEEN - LEFT + EDGE)
    x = left
    for at, cells in enumerate(tables):
        box = grid(page, x, TOP, cells, size)
        _labels(page, box, left, how, at)
        x = box.right + BETWEEN - LEFT + left
    middle = left + widths[0] + BETWEEN / 2 - 6
    page.line((middle, 10), (middle, page.height), ink=HAIR)
    return page, [[cell.edge != WHITE for cell in line] for line in tables[1]]


def both_tables(how: Comparison, right: Any, wrong: Any) -> tuple[list[list[Cell]], ...]:
    """The cells of the right table, and those of the wrong one: what differs has an edge."""
    tables = right.tolist(), wrong.tolist()
    return _cells(how, tables[0], None), _cells(how, tables[1], _differences(*tables))


def _labels(page: Drawing, box: Box, left: float, how: Comparison, at: int) -> None:
    """The title of one table, and what its columns and rows are."""
    title = label("mistakes", ("right", "got")[at])
    page.text(box.middle, 10, title, size=10, ink=(BLUE, ORANGE)[at].dark)
    axis_x(page, box.x, TOP - 4, box.width, label("mistakes", f"axis-{how.columns}"), size=8)
    axis_y(page, box.x - 10 - left + LEFT, TOP, box.height, label("mistakes", f"axis-{how.rows}"))
    for row, name in enumerate(how.names):
        y = TOP + (row + 0.5) * HIGH
        page.text(box.x - 6, y, label("mistakes", name), size=8.5, anchor="end")


def _differences(
    right: Sequence[Sequence[float]], wrong: Sequence[Sequence[float]]
) -> list[list[bool]]:
    """A mask of the wrong numbers that differ from the right ones in the same place."""
    return [
        [not (row < len(right) and column < len(right[row]) and _same(value, right[row][column]))
         for column, value in enumerate(line)]
        for row, line in enumerate(wrong)
    ]  # fmt: skip


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, abs_tol=1e-4)


def _cells(how: Comparison, values: Any, framed: list[list[bool]] | None) -> list[list[Cell]]:
    finite = [abs(value) for line in values for value in line if math.isfinite(value)]
    most = max(finite, default=1.0) if how.share else 1.0
    table = [[_cell(how, value, most) for value in line] for line in values]
    if framed is None:
        return table
    pairs = (zip(*lines, strict=True) for lines in zip(table, framed, strict=True))
    return [[outlined(cell) if bad else cell for cell, bad in line] for line in pairs]


def _cell(how: Comparison, value: float, most: float) -> Cell:
    if isinstance(value, bool):
        return Cell(str(value))
    if not math.isfinite(value):
        return struck(str(value))
    if how.hue:
        return hued(int(value), how.hue(int(value)))
    if value == 0:
        return struck("0")
    return heated(value, how.digits, most)
