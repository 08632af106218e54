"""Exercise 15: how far a token reaches, layer by layer."""

from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import filled, right, rows, tensor
from kata.handouts.figures.shapes import (
    Cell,
    axis_y,
    cells,
    grid,
    heated,
    hued,
    labels_x,
    step,
    struck,
)
from kata.handouts.figures.texts import finished, told
from kata.handouts.palette import INK

SLUG = "ex15_encoder"
S, E, H, F, LAYERS = 6, 6, 2, 12, 3
SMALL, LARGE = (15.0, 18.0), (20.5, 18.0)
SEED = 4400  # with it no influence is too small to be read
TOP = 44.0
MIDDLE = TOP + S * 9


def figure() -> Figure:
    """A mask that shows each token itself and the one before; then one map for each layer."""
    page = Drawing()
    maps = influences()
    may = cells(rows(window()), lambda each: hued(1, 0) if each else struck())
    box = grid(page, 22, TOP, may, SMALL)
    page.text(box.middle, TOP - 24, told(SLUG, "mask"), ink=INK)
    axis_y(page, 12, TOP, box.height, told(SLUG, "rows"))
    for at, table in enumerate(maps):
        end = step(page, box.right + 8, MIDDLE, 24) + 8
        box = grid(page, end, TOP, _shares(table), LARGE)
        page.text(box.middle, TOP - 24, told(SLUG, "layer", number=at), ink=INK)
        labels_x(page, end, TOP - 8, [str(n) for n in range(S)], LARGE[0])
        page.text(box.middle, box.bottom + 11, told(SLUG, "reach", count=at + 1), size=8.5)
    return finished(page, SLUG, layers=LAYERS)


def window() -> Tensor:
    """Each query may attend to its own key and the one before."""
    past: Tensor = right("ex05_causal_masks").causal_mask(S)
    return past.triu(diagonal=-1)


def influences() -> list[Tensor]:
    """After each layer, how far each output (rows) moves when a token (columns) is negated."""
    encoder = right(SLUG).Encoder(E, H, F, LAYERS).double().eval()
    for at, layer in enumerate(encoder.layers):
        filled(layer.attention, SEED + 10 * at, 0.5)
        filled(layer.feed_forward, SEED + 10 * at + 5, 0.5)
    x = tensor(2, 1, S, E)
    others = [x.index_copy(1, torch.tensor([token]), -x[:, [token]]) for token in range(S)]
    found = []
    for count in range(1, LAYERS + 1):
        right_ones = _after(encoder, count, x)
        moves = [(_after(encoder, count, each) - right_ones).abs().amax(dim=-1) for each in others]
        found.append(torch.cat(moves).T)
    return found


def _after(encoder: Any, count: int, x: Tensor) -> Tensor:
    """The output of this many layers for x, (1, S, E)."""
    with torch.no_grad():
        for layer in encoder.layers[:count]:
            x = layer(x, window())
    return x


def _shares(table: Tensor) -> list[list[Cell]]:
    """The share of the largest move; an output that does not move is struck through."""
    most = float(table.max())
    return cells(rows(table / most), lambda each: heated(each, 1) if each > 1e-9 else struck())
