"""The map of a mistake as the templates draw it: cells with digits, and which are wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kata.handouts.paper.typesetting import Data
from kata.terminal.heatmaps import Cell, Map, maps, part
from kata.verdict import Picture

LEAST = 3  # columns


@dataclass(frozen=True)
class Room:
    """The room for a map: its rows, and the characters of all columns together."""

    rows: int
    characters: int


PAGE = Room(rows=4, characters=32)  # of the book


def grids(picture: Picture | None, room: Room = PAGE) -> list[Data]:
    """The expected map and the actual one, at most as large as there is room for."""
    if picture is None:
        return []
    digits = max(map(len, _numbers(maps(picture)[:2])))
    columns = max(LEAST, room.characters // (digits + 1) - 1)
    return [_grid(heatmap, digits) for heatmap in maps(part(picture, room.rows, columns))[:2]]


def _numbers(heatmaps: Iterable[Map]) -> list[str]:
    return [cell.short for heatmap in heatmaps for row in heatmap.rows for cell in row]


def _grid(heatmap: Map, digits: int) -> Data:
    names = zip(heatmap.row_names, heatmap.rows, strict=True)
    return {
        "title": heatmap.title,
        "digits": digits,
        "columns": heatmap.column_names,
        "rows": [[name, [_cell(cell) for cell in row]] for name, row in names],
    }


def _cell(cell: Cell) -> list[Any]:
    """The digits of a cell, its shade, whether it is wrong, or the worst, and its colour."""
    share = cell.share if cell.is_finite else -1
    words = cell.short.replace("-", "−") if cell.value else "0"  # not −0
    return [words, share, cell.wrong, cell.worst, cell.hue]
