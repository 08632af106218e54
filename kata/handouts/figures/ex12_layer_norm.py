"""Exercise 12: the numbers that share a mean, and eps inside the root or beside it."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import axis_x, axis_y, cells, grid, plain, step
from kata.palette import BLUE, HAIR, INK, ORANGE

SLUG, OUTSIDE = "ex12_layer_norm", "eps-outside-the-root"
S, E = 3, 4
SIZE = 27.0, 19.0
TOP = 48.0
LOW = TOP + S * SIZE[1] + 14
NEARLY_EQUAL = torch.tensor([[0.001, 0.003, 0.001, 0.003]], dtype=torch.float64)


def figure() -> Figure:
    """Rows that are normalised; a column, which is not; a row that eps decides about."""
    page = Drawing()
    x = tensor(16, S, E)
    edge = _rows(page, 20, x)
    page.line((edge + 16, 12), (edge + 16, LOW + 6), ink=HAIR)
    edge = _column(page, edge + 32, x)
    page.line((edge + 16, 12), (edge + 16, LOW + 6), ink=HAIR)
    _eps(page, edge + 32)
    return finished(page, SLUG)


def normal(answer: Any, x: Tensor) -> Tensor:
    """A fresh layer norm of this answer on x, in double precision."""
    result: Tensor = answer.LayerNorm(E).double()(x)
    return result


def _rows(page: Drawing, x: float, values: Tensor) -> float:
    """Draw tokens with their own means and variances; return where their norms end."""
    box = grid(page, x, TOP, cells(values, plain), SIZE)
    axis_x(page, x, TOP - 5, box.width, f"E = {E}", size=8.5)
    axis_y(page, x - 10, TOP, box.height, f"S = {S}")
    for row, line in enumerate(values):
        y = TOP + row * SIZE[1]
        page.rect(Box(x, y + 1, box.width, SIZE[1] - 2), share=0, edge=BLUE.dark, thick=1.3)
        moments = float(line.mean()), float(line.var(correction=0))
        for at, moment in enumerate(moments):
            page.text(box.right + 22 + at * 32, y + SIZE[1] / 2, number(moment), size=8, mono=True)
    for at, name in enumerate(("mean", "variance")):
        page.text(box.right + 22 + at * 32, TOP - 9, label(SLUG, name), size=8)
    end = step(page, box.right + 76, TOP + box.height / 2, 26)
    after = grid(page, end + 7, TOP, cells(normal(right(SLUG), values), plain), SIZE)
    axis_x(page, after.x, TOP - 5, after.width, label(SLUG, "normal"), size=8.5)
    page.text((x + after.right) / 2, 8, label(SLUG, "rows"), ink=BLUE.dark)
    page.text((x + after.right) / 2, LOW, label(SLUG, "formula"), ink=INK, size=8.5, mono=True)
    return after.right


def _column(page: Drawing, x: float, values: Tensor) -> float:
    """Draw a column, of which batch statistics would take the mean; return where it ends."""
    box = grid(page, x, TOP, cells(values, plain), SIZE)
    frame = Box(x + 1, TOP, SIZE[0] - 2, box.height)
    page.rect(frame, share=0, edge=ORANGE.dark, thick=1.3)
    page.text(box.middle, 8, label(SLUG, "column"), ink=ORANGE.dark)
    page.text(box.middle, LOW, label(SLUG, "mixed"), size=8.5)
    return box.right


def _eps(page: Drawing, x: float) -> None:
    """Draw the norms of a nearly equal row with eps inside the root and beside it."""
    lines = {
        "nearly": (NEARLY_EQUAL, INK),
        "inside": (normal(right(SLUG), NEARLY_EQUAL), BLUE.dark),
        "outside": (normal(wrong(SLUG, OUTSIDE), NEARLY_EQUAL), ORANGE.dark),
    }
    page.text(x + 2 * 32, 8, label(SLUG, "eps"), ink=INK)
    for row, (name, (values, ink)) in enumerate(lines.items()):
        y = 36 + row * 36
        page.text(x, y - 8, label(SLUG, name), size=8.5, ink=ink, anchor="start")
        grid(page, x, y, cells(values, partial(plain, digits=3)), (34, 17))
