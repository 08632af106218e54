"""Exercise 09: the whole path with its shapes, and the map of every head."""

from functools import partial

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import filled, finished, label, right, tensor
from kata.handouts.figures.shapes import (
    bent_arrow,
    cells,
    grid,
    labels_x,
    labels_y,
    part,
    weight,
)
from kata.palette import BLUE, GREEN, HUES, INK, ORANGE, WHITE, Hue

SLUG = "ex09_multi_head_attention"
B, T, S, E, H = 2, 3, 5, 8, 4
D = E // H
LENGTH = 4  # of the sample in the figure
ROWS = 18.0, 46.0, 80.0  # of query, key and value
MAP = 26.0, 17.0
MAPS = 134.0  # where they begin
INPUTS = ("query", "T", BLUE), ("key", "S", ORANGE), ("value", "S", GREEN)


def figure() -> Figure:
    """Boxes with shapes above, four maps below."""
    page = Drawing()
    weights = _weights()
    _path(page)
    _maps(page, weights[0])
    return finished(page, SLUG, heads=H)


def _weights() -> Tensor:
    """The maps of all samples, under the padding mask of the second one."""
    model = filled(right(SLUG).MultiHeadAttention(E, H), 60, 0.8)
    query, memory = tensor(61, B, T, E), tensor(62, B, S, E)
    mask = right("ex05_causal_masks").padding_mask(torch.tensor([LENGTH, S]), S)
    weights: Tensor = model(query, memory, memory, mask)[1]
    return weights


def _path(page: Drawing) -> None:
    """Draw the path from three inputs to one output."""
    ends = [_entrance(page, ROWS[at], *source) for at, source in enumerate(INPUTS)]
    level = (ROWS[0] + ROWS[1]) / 2
    scores = part(page, Box(262, level - 10, 70, 20), "q @ kᵀ / √D", size=8, mono=True)
    for at, away in ((0, -5), (1, 5)):
        end = scores.x - 1, level + away
        bent_arrow(page, (ends[at], ROWS[at]), scores.x - 11, end, HUES[at].dark)
    shares = _next(page, scores, 76, label(SLUG, "softmax"))
    dropout = _next(page, shares, 44, "dropout")
    _exit(page, dropout, ends[2])
    page.line((shares.middle, ROWS[2] - 6), (shares.middle, ROWS[2] + 6), ink=WHITE, thick=5)
    page.arrow((shares.middle, shares.bottom), (shares.middle, MAPS - 28))
    page.text(
        shares.middle - 6, shares.bottom + 11, "(B, H, T, S)", size=8, mono=True, anchor="end"
    )


def _entrance(page: Drawing, y: float, name: str, length: str, hue: Hue) -> float:
    """Draw one input, projected and split; return the x from which its arrow leads on."""
    page.text(4, y - 5, name, ink=hue.dark, anchor="start")
    page.text(4, y + 6, f"(B, {length}, E)", size=8, anchor="start", mono=True)
    page.arrow((57, y), (65, y), ink=hue.dark)
    layer = part(page, Box(66, y - 9, 46, 18), f"w_{name}", hue, size=8.5)
    page.arrow((layer.right, y), (layer.right + 10, y), ink=hue.dark)
    split = part(page, Box(layer.right + 11, y - 9, 54, 18), "split_heads", hue, size=8.5)
    shape = f"(B, H, {length}, D)"
    page.text(split.right + 5, y - 6, shape, size=8, anchor="start", mono=True)
    return split.right + 2


def _next(page: Drawing, last: Box, width: float, words: str) -> Box:
    """Draw the next box, on the same level."""
    page.arrow((last.right, last.centre), (last.right + 9, last.centre))
    return part(page, Box(last.right + 10, last.y, width, last.height), words, size=8.5)


def _exit(page: Drawing, dropout: Box, values: float) -> None:
    """The weights meet the values, and the heads are merged."""
    y = ROWS[2]
    mix = Box(dropout.middle - 10, y - 10, 20, 20)
    page.arrow((dropout.middle, dropout.bottom), (dropout.middle, mix.y - 1))
    page.arrow((values, y), (mix.x - 1, y), ink=GREEN.dark)
    part(page, mix, "@", size=10)
    merge = _next(page, mix, 62, "merge_heads")
    last = _next(page, merge, 38, "w_out")
    page.arrow((last.right, y), (last.right + 9, y))
    page.text(last.right + 12, y - 5, "output", anchor="start", ink=INK)
    page.text(last.right + 12, y + 6, "(B, T, E)", size=8, anchor="start", mono=True)


def _maps(page: Drawing, weights: Tensor) -> None:
    """The weights of the sample with the padding, head by head."""
    x = 66.0
    for head, table in enumerate(weights):
        box = grid(page, x, MAPS, cells(table, partial(weight, hue=HUES[head])), MAP)
        page.text(box.middle, MAPS - 18, f"head {head}", ink=HUES[head].dark)
        labels_x(page, x, MAPS - 7, [f"k{s}" for s in range(S)], MAP[0])
        x = box.right + 20
    labels_y(page, 60, MAPS, [f"query {t}" for t in range(T)], MAP[1])
    sizes = f"B = {B}, T = {T}, S = {S}, E = {E}, H = {H}, D = E / H = {D}"
    page.text(66, MAPS + T * MAP[1] + 14, sizes, anchor="start")
