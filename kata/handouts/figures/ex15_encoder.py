"""Exercise 15: the reach of a token, layer by layer."""

from functools import partial
from typing import Any

from torch import Tensor

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import filled, finished, label, moved, right, tensor
from kata.handouts.figures.shapes import axis_y, cells, grid, heated, labels_x, step, struck, truth
from kata.palette import INK

SLUG = "ex15_encoder"
S, E, H, F, LAYERS = 6, 6, 2, 12, 3
SMALL, LARGE = (15.0, 18.0), (20.5, 18.0)
SEED = 4400  # with it no influence is too small to be read
TOP = 44.0
MIDDLE = TOP + S * 9


def figure() -> Figure:
    """A mask under which tokens see themselves and the one before; then the maps of all layers."""
    page = Drawing()
    maps = influences()
    box = grid(page, 22, TOP, cells(window(), truth), SMALL)
    page.text(box.middle, TOP - 24, label(SLUG, "mask"), ink=INK)
    axis_y(page, 12, TOP, box.height, label(SLUG, "rows"))
    for at, table in enumerate(maps):
        end = step(page, box.right + 8, MIDDLE, 24) + 8
        shares = cells(
            table / table.max(), lambda value: heated(value, 1) if value > 1e-9 else struck()
        )
        box = grid(page, end, TOP, shares, LARGE)
        page.text(box.middle, TOP - 24, label(SLUG, "layer", number=at), ink=INK)
        labels_x(page, end, TOP - 8, [str(n) for n in range(S)], LARGE[0])
        page.text(box.middle, box.bottom + 11, label(SLUG, "reach", count=at + 1), size=8.5)
    return finished(page, SLUG, layers=LAYERS)


def window() -> Tensor:
    """A mask under which a query may attend to its own key and the one before."""
    past: Tensor = right("ex05_causal_masks").causal_mask(S)
    return past.triu(diagonal=-1)


def influences() -> list[Tensor]:
    """The moves of all outputs (rows) when a token (columns) is negated, after every layer."""
    encoder = right(SLUG).Encoder(E, H, F, LAYERS).double().eval()
    for at, layer in enumerate(encoder.layers):
        filled(layer.attention, SEED + 10 * at, 0.5)
        filled(layer.feed_forward, SEED + 10 * at + 5, 0.5)
    stacks = [encoder.layers[: count + 1] for count in range(LAYERS)]
    return [moved(partial(_after, layers), tensor(2, 1, S, E)) for layers in stacks]


def _after(layers: Any, x: Tensor) -> Tensor:
    """The output of these layers for x, (1, S, E)."""
    for layer in layers:
        x = layer(x, window())
    return x
