"""The heat maps of a failing claim as cells, for everything that draws them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kata.judging.values import number
from kata.verdict import Picture

Values = Sequence[Sequence[float]]
EXPECTED, GOT, GAP = "expected", "got", "gap"
FLOW = "display:flex;flex-wrap:wrap;gap:12px 28px;align-items:flex-start"  # of maps on a page
FAINTEST = 0.06  # the least shade of a number that is not zero, so that it differs from zero
HUES = 4  # colours by which places differ
ROUNDS = 3  # strengths of a colour, as a map has at most twelve places


@dataclass(frozen=True)
class Cell:
    """One number of a map.

    Attributes:
        value: the number.
        share: how dark it is, from 0 to 1.
        wrong: whether it is wrong.
        worst: whether it is furthest off.
        place: of a number that was exchanged with others, its index among the expected ones, along
            one dimension; -1 for any other number.
    """

    value: float
    share: float
    wrong: bool
    worst: bool = False
    place: int = -1

    @property
    def is_finite(self) -> bool:
        """True unless it is NaN or infinite."""
        return math.isfinite(self.value)

    @property
    def exact(self) -> str:
        """The number as messages write it."""
        return number(self.value)

    @cached_property
    def short(self) -> str:
        """The number in a few characters; without a point only if it is whole."""
        return short_number(self.value, whole=1000, least=0.005, most=1000).replace("+", "")

    @property
    def sign(self) -> str:
        """The one character for what a colour alone does not show."""
        return "?" if not self.is_finite else "-" if self.value < 0 else ""

    @property
    def hue(self) -> int:
        """One of a few colours for its place; -1 if it has none."""
        return self.place % HUES if self.place >= 0 else -1

    @property
    def round(self) -> int:
        """The strength of that colour: the fifth place has the first one again, but weaker."""
        return self.place // HUES % ROUNDS if self.place >= 0 else 0


@dataclass(frozen=True)
class Map:
    """One map: its kind, its title, its rows, and the index at which rows and columns begin."""

    kind: str
    title: str
    rows: Sequence[Sequence[Cell]]
    row: int = 0
    column: int = 0

    @property
    def wrong(self) -> int:
        """The number of wrong cells."""
        return sum(cell.wrong for row in self.rows for cell in row)

    @property
    def row_names(self) -> list[str]:
        """The indices of the rows in the array."""
        return [str(self.row + at) for at in range(len(self.rows))]

    @property
    def column_names(self) -> list[str]:
        """The indices of the columns."""
        return [str(self.column + at) for at in range(len(self.rows[0]))]


def maps(picture: Picture) -> tuple[Map, ...]:
    """The maps: expected, got, and their difference unless numbers are in the wrong places."""
    pair = map_pair(picture)
    return pair if picture.belongs else (*pair, _gap(picture))


def map_pair(picture: Picture) -> tuple[Map, Map]:
    """The maps of what was expected and got; the same number is as dark in both."""
    most = largest([*picture.expected, *picture.got])
    right = [[False] * len(row) for row in picture.expected]
    expected = _cells(picture.expected, right, most, picture.stands)
    got = _marked(_cells(picture.got, picture.wrong, most, picture.belongs), picture.worst)
    title = f"got, at {picture.where}" if picture.where else "got"
    return (
        Map(EXPECTED, "expected", expected, picture.row, picture.column),
        Map(GOT, title, got, picture.row, picture.column),
    )


def captions(picture: Picture) -> list[str]:
    """The lines below the maps: the part that they show, and a number in the wrong place."""
    lines = []
    if _is_part(picture):
        height, width = picture.shape[-2:]
        bottom = picture.row + len(picture.got) - 1
        right = picture.column + len(picture.got[0]) - 1
        lines.append(
            f"(rows {picture.row} to {bottom} of {height}, "
            f"columns {picture.column} to {right} of {width})"
        )
    if picture.home:
        value = number(picture.got[picture.worst[0]][picture.worst[1]])
        lines.append(f"{value} is right in another place: it is expected at {picture.home}")
    return lines


def _is_part(picture: Picture) -> bool:
    size = [len(picture.got), len(picture.got[0])]
    return bool(picture.shape) and picture.shape[-2:] != size


def part(picture: Picture, rows: int, columns: int) -> Picture:
    """A part of a picture: at most so many rows and columns, round the worst place."""
    row, column = picture.worst or (0, 0)
    down = _window(row, len(picture.got), rows)
    across = _window(column, len(picture.got[0]), columns)
    return replace(
        picture,
        expected=[line[across] for line in picture.expected[down]],
        got=[line[across] for line in picture.got[down]],
        wrong=[line[across] for line in picture.wrong[down]],
        belongs=[line[across] for line in picture.belongs[down]],
        stands=[line[across] for line in picture.stands[down]],
        worst=[row - down.start, column - across.start] if picture.worst else [],
        row=picture.row + down.start,
        column=picture.column + across.start,
        shape=picture.shape or [len(picture.got), len(picture.got[0])],
    )


def _window(place: int, length: int, most: int) -> slice:
    start = max(0, min(place - most // 2, length - most))
    return slice(start, start + most)


def _gap(picture: Picture) -> Map:
    pairs = zip(picture.expected, picture.got, strict=True)
    gap = [[abs(a - b) for a, b in zip(*rows, strict=True)] for rows in pairs]
    cells = _marked(_cells(gap, picture.wrong, largest(gap), []), picture.worst)
    return Map(GAP, "difference", cells, picture.row, picture.column)


def _cells(
    values: Values,
    wrong: Sequence[Sequence[bool]],
    most: float,
    places: Sequence[Sequence[int]],
) -> list[list[Cell]]:
    indices = places or [[-1] * len(row) for row in values]
    return [
        [Cell(float(value), _share(value, most), bad, place=place)
         for value, bad, place in zip(*row, strict=True)]
        for row in zip(values, wrong, indices, strict=True)
    ]  # fmt: skip


def _share(value: float, most: float) -> float:
    if not math.isfinite(value) or value == 0:
        return 0.0
    return round(max(abs(value) / most, FAINTEST), 3)


def _marked(cells: list[list[Cell]], worst: Sequence[int]) -> list[list[Cell]]:
    """The cells, with a mark at the one that is furthest off."""
    if worst:
        row, column = worst
        cells[row][column] = replace(cells[row][column], worst=True)
    return cells


def largest(values: Values) -> float:
    """The largest distance from zero of a finite number; 0 if there is none."""
    return max((abs(value) for row in values for value in row if math.isfinite(value)), default=0.0)


def short_number(value: float, whole: float, least: float, most: float) -> str:
    """A number in a few characters.

    A number below `whole` that is whole has no point, one from `least` to `most` two digits after
    it, and any other an exponent.
    """
    size = abs(value)
    if not math.isfinite(value) or (size < whole and value.is_integer()):
        return f"{value:.0f}"
    if least <= size < most:
        return f"{value:.2f}"
    return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
