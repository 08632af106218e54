"""Exercise 27: two tiles of keys, their parts, and the merged parts."""

from functools import partial
from typing import Any

import numpy as np

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right
from kata.handouts.figures.shapes import (
    bent_arrow,
    cells,
    coloured,
    grid,
    headed,
    heated,
    plain,
    step,
)
from kata.palette import HUES, INK

Array = np.ndarray[Any, Any]
Parts = tuple[Array, Array, Array]

SLUG = "ex27_one_pass_softmax"
SCORES = np.array([[1.0, 2.0], [4.0, 2.5]])  # of one query; the rows are the tiles
VALUES = np.array([[2.0, 6.0], [5.0, 1.0]])
SIZE = 31.0, 18.0
TOPS = 24.0, 88.0  # of the tiles
MIDDLE = (TOPS[0] + TOPS[1] + SIZE[1]) / 2


def figure() -> Figure:
    """The tiles at the left, one below the other; their parts; both together and the output."""
    page, answer = Drawing(), right(SLUG)
    tiles = [answer.attend_to_tile(*example(tile)) for tile in (0, 1)]
    merged = answer.merge(*tiles)
    ends = [_tile(page, at, parts, merged) for at, parts in enumerate(tiles)]
    for box in ends:
        start, turn = (box.right + 3, box.centre), box.right + 12
        bent_arrow(page, start, turn, (turn + 13, MIDDLE))
    end = _parts(page, ends[0].right + 32, MIDDLE - SIZE[1] / 2, merged, None)
    page.text(end.middle, MIDDLE + 24, label(SLUG, "both"), ink=INK)
    output = merged[2] / merged[1][:, None]
    assert np.allclose(output, answer.tiled_attention(*whole(), 4))  # as the caption says
    x = step(page, end.right + 5, MIDDLE, 26, "m / t") + 5
    table = cells(output, partial(plain, digits=2))
    headed(page, x, MIDDLE - SIZE[1] / 2, table, SIZE, label(SLUG, "output"), letters=8)
    scales = " and ".join(number(float(scale(tile, merged))) for tile in tiles)
    return finished(
        page,
        SLUG,
        scales=scales,
        total=number(float(merged[1][0])),
        output=number(float(output[0, 0])),
    )


def example(tile: int) -> tuple[Array, Array, Array]:
    """Query, key and value of one tile: of one feature, so that scores are the keys."""
    return np.ones((1, 1)), SCORES[tile][:, None], VALUES[tile][:, None]


def whole() -> tuple[Array, Array, Array]:
    """Query, key and value of both tiles."""
    return np.ones((1, 1)), SCORES.reshape(-1, 1), VALUES.reshape(-1, 1)


def scale(parts: Parts, merged: Parts) -> Array:
    """The factor of the sums of a tile."""
    return np.asarray(np.exp(parts[0] - merged[0])[0])


def _tile(page: Drawing, tile: int, parts: Parts, merged: Parts) -> Box:
    """Draw scores, powers and parts of a tile; return the box of its parts once scaled."""
    y, middle = TOPS[tile], TOPS[tile] + SIZE[1] / 2
    page.text(24, middle, label(SLUG, "tile", number=tile), ink=HUES[tile].dark)
    scores = cells(SCORES[tile : tile + 1], partial(coloured, hue=tile))
    box = headed(page, 48, y, scores, SIZE, "q @ kᵀ / √D", letters=8, mono=True)
    values = ", ".join(number(value, 0) for value in VALUES[tile])
    page.text(box.middle, y + SIZE[1] + 9, f"{label(SLUG, 'value')} {values}", size=8)
    powers = cells(np.exp(SCORES[tile : tile + 1] - parts[0]), heated)
    x = step(page, box.right + 5, middle, 14) + 5
    box = headed(page, x, y, powers, SIZE, "exp(s − l)", letters=8, mono=True)
    box = _parts(page, step(page, box.right + 5, middle, 14) + 5, y, parts, tile)
    share = scale(parts, merged)
    x = step(page, box.right + 5, middle, 46, f"× {number(float(share))}") + 5
    scaled = (merged[0], share * parts[1], share * parts[2])
    return _parts(page, x, y, scaled, tile)


def _parts(page: Drawing, x: float, y: float, parts: Parts, tile: int | None) -> Box:
    """Draw largest, total and mixed in a row, in the colour of a tile."""
    row = [[float(part.ravel()[0]) for part in parts]]
    make = plain if tile is None else partial(coloured, hue=tile)
    box = grid(page, x, y, cells(row, partial(make, digits=2)), SIZE)
    for at, name in enumerate(("largest", "total", "mixed")):
        page.text(x + (at + 0.5) * SIZE[0], y - 8, name, size=8, ink=INK)
    return box
