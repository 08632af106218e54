"""The heat maps of a failing claim as cells, for everything that draws them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kata.judging.values import number
from kata.verdict import Picture

Values = Sequence[Sequence[float]]
EXPECTED, GOT, GAP = "expected", "got", "gap"
FAINTEST = 0.06  # a cell that is not zero can be told from one that is
HUES = 4  # colours by which places are told apart
ROUNDS = 3  # strengths of each of them, as a map has at most twelve places


@dataclass(frozen=True)
class Cell:
    """One number: how dark it is, from 0 to 1, and what is wrong with it.

    `place` tells numbers apart that were exchanged: the index that a number has among those that
    are expected, along one dimension; -1 if there is nothing to tell.
    """

    value: float
    share: float
    wrong: bool
    worst: bool = False
    place: int = -1

    @property
    def is_finite(self) -> bool:
        """Whether it is neither NaN nor infinite."""
        return math.isfinite(self.value)

    @property
    def exact(self) -> str:
        """The number as messages write it."""
        return number(self.value)

    @cached_property
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

    @property
    def hue(self) -> int:
        """One of a few colours for its place; -1 if it has none."""
        return self.place % HUES if self.place >= 0 else -1

    @property
    def round(self) -> int:
        """How strong that colour is: the fifth place has the first one again, but weaker."""
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
        """How many cells are wrong."""
        return sum(cell.wrong for row in self.rows for cell in row)

    @property
    def row_names(self) -> list[str]:
        """The index of each row in the array."""
        return [str(self.row + at) for at in range(len(self.rows))]

    @property
    def column_names(self) -> list[str]:
        """The index of each column."""
        return [str(self.column + at) for at in range(len(self.rows[0]))]


def maps(picture: Picture) -> tuple[Map, ...]:
    """The maps: expected, got, and their difference unless numbers are in the wrong places."""
    two = both(picture)
    return two if picture.belongs else (*two, _gap(picture, _corner(picture)))


def _corner(picture: Picture) -> dict[str, int]:
    return {"row": picture.row, "column": picture.column}


def both(picture: Picture) -> tuple[Map, Map]:
    """The maps of what was expected and got; the same number is as dark in both."""
    most = max(_most(picture.expected), _most(picture.got))
    corner = _corner(picture)
    right = [[False] * len(row) for row in picture.expected]
    expected = _cells(picture.expected, right, most, picture.stands)
    got = _marked(_cells(picture.got, picture.wrong, most, picture.belongs), picture.worst)
    return (
        Map(EXPECTED, "expected", expected, **corner),
        Map(GOT, _got(picture), got, **corner),
    )


def captions(picture: Picture) -> list[str]:
    """What is to be said below the maps: what part they show, and which numbers are misplaced."""
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


def _is_part(picture: Picture) -> bool:
    size = [len(picture.got), len(picture.got[0])]
    return bool(picture.shape) and picture.shape[-2:] != size


def _got(picture: Picture) -> str:
    where = picture.where
    return f"got, at {where}" if where else "got"


def _gap(picture: Picture, corner: dict[str, int]) -> Map:
    pairs = zip(picture.expected, picture.got, strict=True)
    gap = [[abs(a - b) for a, b in zip(*rows, strict=True)] for rows in pairs]
    cells = _marked(_cells(gap, picture.wrong, _most(gap), []), picture.worst)
    return Map(GAP, "difference", cells, **corner)


def _most(values: Values) -> float:
    return max((abs(value) for row in values for value in row if math.isfinite(value)), default=0.0)


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


def _marked(cells: list[list[Cell]], worst: Sequence[int]) -> list[list[Cell]]:
    """The cells, with a mark at the one that is furthest off."""
    if worst:
        row, column = worst
        cells[row][column] = replace(cells[row][column], worst=True)
    return cells


def _share(value: float, most: float) -> float:
    if not math.isfinite(value) or value == 0:
        return 0.0
    return round(max(abs(value) / most, FAINTEST), 3)
