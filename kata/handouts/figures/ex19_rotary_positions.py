"""Exercise 19: pairs that turn at speeds of their own, and scores that only distances change."""

import math
from typing import Any

from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import (
    Cell,
    axis_y,
    cells,
    grid,
    heated,
    labels_x,
    labels_y,
    outlined,
)
from kata.palette import BLUE, HAIR, INK, MUTED, ORANGE

SLUG, TRAP = "ex19_rotary_positions", "halves-by-a-table-for-pairs"
T, D, BASE = 6, 8, 100.0  # a small base, so that slow pairs turn visibly
DIAL = 27.0
SIZE = 27.0, DIAL
TOP = 42.0
LOW = TOP + T * DIAL


def figure() -> Figure:
    """Dials of all positions and pairs; scores of all pairs of positions, right and wrong."""
    page = Drawing()
    edge = _dials(page, 50)
    page.line((edge + 20, 8), (edge + 20, LOW + 22), ink=HAIR)
    edge = _scores(page, edge + 66, scores(right(SLUG)), "right", BLUE.dark)
    page.line((edge + 16, 8), (edge + 16, LOW + 22), ink=HAIR)
    _scores(page, edge + 62, scores(wrong(SLUG, TRAP)), "trap", ORANGE.dark)
    return finished(page, SLUG, base=f"{BASE:g}", same=_next_to(right(SLUG)))


def scores(answer: Any) -> Tensor:
    """One query and one key at all positions: queries in rows, keys in columns."""
    table = answer.rotation_table(T, D, BASE)
    query, key = (answer.rotate_halves(vector, *table) for vector in _vectors())
    product: Tensor = query @ key.T
    return product


def _vectors() -> list[Tensor]:
    """A query and a key, repeated at every position."""
    return [tensor(seed, 1, D, spread=0.7).expand(T, D) for seed in (1, 8)]


def _next_to(answer: Any) -> str:
    """The score of a query and the key right before it."""
    return number(float(scores(answer)[1, 0]), 1)


def _dials(page: Drawing, x: float) -> float:
    """Draw the directions of (1, 0) at all positions, for all pairs; return where they end."""
    cos, sin = right(SLUG).rotation_table(T, D, BASE)
    labels_x(page, x, TOP - 9, [f"{label(SLUG, 'pair')} {i}" for i in range(D // 2)], DIAL + 4)
    labels_y(page, x - 6, TOP, [str(p) for p in range(T)], DIAL)
    axis_y(page, x - 26, TOP, LOW - TOP, label(SLUG, "position"))
    for p in range(T):
        for i in range(D // 2):
            box = Box(x + i * (DIAL + 4) + 4, TOP + p * DIAL + 2, DIAL - 4, DIAL - 4)
            _dial(page, box, float(cos[p, i]), float(sin[p, i]))
    width = D // 2 * (DIAL + 4)
    page.text(x + width / 2, 10, label(SLUG, "dials"), ink=INK)
    page.text(x + width / 2, LOW + 12, f"base = {BASE:g}", size=8.5, mono=True)
    return x + width


def _dial(page: Drawing, box: Box, cos: float, sin: float) -> None:
    """A circle with a hand, which turns from the right upwards."""
    radius = box.width / 2
    page.rect(box, edge=HAIR, corner=radius)
    page.line((box.middle, box.centre), (box.middle + radius, box.centre), ink=MUTED, dash="1.5 2")
    tip = box.middle + radius * cos, box.centre - radius * sin
    page.line((box.middle, box.centre), tip, ink=BLUE.dark, thick=1.5)
    page.dot(*tip, 1.6, ink=BLUE.dark)


def _scores(page: Drawing, x: float, values: Tensor, name: str, ink: str) -> float:
    """Draw the scores, with those of neighbours outlined; return where they end."""
    table = cells(values, _shaded)
    for t in range(1, T):
        table[t][t - 1] = outlined(table[t][t - 1], ink)
    box = grid(page, x, TOP, table, SIZE)
    labels_x(page, x, TOP - 9, [label(SLUG, "key", at=s) for s in range(T)], SIZE[0])
    labels_y(page, x - 5, TOP, [label(SLUG, "query", at=t) for t in range(T)], SIZE[1])
    page.text(box.middle, 10, label(SLUG, name), ink=ink)
    page.text(box.middle, LOW + 12, label(SLUG, f"{name}-below"), size=8.5)
    return box.right


def _shaded(value: float) -> Cell:
    """A score with its sign, the darker the larger."""
    shade = heated(1 / (1 + math.exp(-value / 2)))
    return Cell(number(value, 1), shade.fill, shade.share, shade.ink)
