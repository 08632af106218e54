"""Exercise 21: a text in three calls, the same text in one, and a mask that forgets the cache."""

from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import filled, finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import axis_x, axis_y, cells, grid, weight
from kata.palette import INK

SLUG = "ex21_kv_cache"
PARTS = (3, 1, 2)
S = sum(PARTS)
SIZE = (25.0, 18.0)
TOP, BELOW = 38.0, 118.0
WHOLE = 470.0  # where the weights of one call begin
TRAP = "mask-at-the-upper-left"


def figure() -> Figure:
    """The weights of three calls, then those of one call, and the last call under a wrong mask."""
    page, text = Drawing(), tensor(4, 1, S, 8)
    x, past, rows = 24.0, 0, []
    for at, size in enumerate(PARTS):
        rows.append(_weights(right(SLUG), text, past, size))
        x = _call(page, x, TOP, rows[-1], past, label(SLUG, "call", number=at + 1)) + 20
        past += size
    axis_y(page, 12, TOP, PARTS[0] * SIZE[1], label(SLUG, "queries"))
    whole = _weights(right(SLUG), text, 0, S)
    joined = torch.zeros(S, S)
    for at, weights in enumerate(rows):
        begin = sum(PARTS[:at])
        joined[begin : begin + PARTS[at], : weights.size(1)] = weights
    assert torch.allclose(joined.double(), whole.double(), atol=1e-6)  # as the caption says
    _one_call(page, whole)
    shifted = _weights(wrong(SLUG, TRAP), text, S - PARTS[-1], PARTS[-1])
    _trap(page, x - 20 - S * SIZE[0], shifted)
    return finished(page, SLUG)


def _weights(answer: Any, text: Tensor, past: int, size: int) -> Tensor:
    """The weights of new tokens in the first head, after `past` tokens were cached."""
    rotary, heads = right("ex19_rotary_positions"), right("ex07_heads")
    table = rotary.rotation_table(S, 4)
    model = filled(answer.CachedAttention(8, 2, S), 7, spread=0.45)
    end = past + size
    queries, keys = (
        rotary.rotate_pairs(heads.split_heads(layer(text[:, begin:end]), 2), *table, begin)
        for layer, begin in ((model.w_query, past), (model.w_key, 0))
    )
    mask = answer.causal_mask_after(past, size)
    weights: Tensor = right("ex05_causal_masks").masked_attention(queries, keys, keys, mask)[1][
        0, 0
    ]
    return weights


def _call(page: Drawing, x: float, y: float, table: Tensor, past: int, words: str) -> float:
    """Draw the rows of a call, with the origin of its columns below; return where it ends."""
    box = grid(page, x, y, cells(table, weight), SIZE)
    page.text(box.middle, y - 12, words, ink=INK)
    if past:
        page.line((x + past * SIZE[0], y - 4), (x + past * SIZE[0], box.bottom + 4), ink=INK)
        axis_x(page, x, box.bottom + 16, past * SIZE[0], label(SLUG, "cache"), size=8)
    new = (len(table[0]) - past) * SIZE[0]
    axis_x(page, x + past * SIZE[0], box.bottom + 16, new, label(SLUG, "new"), size=8)
    return box.right


def _one_call(page: Drawing, whole: Tensor) -> None:
    box = grid(page, WHOLE, TOP, cells(whole, weight), SIZE)
    page.text(box.middle, TOP - 12, label(SLUG, "whole"), ink=INK)
    row = 0.0
    for size in PARTS[:-1]:
        row += size * SIZE[1]
        page.line((box.x - 4, TOP + row), (box.right + 4, TOP + row), ink=INK)
    page.text(box.middle, box.bottom + 10, label(SLUG, "same"), size=8)


def _trap(page: Drawing, x: float, table: Tensor) -> None:
    box = grid(page, x, BELOW, cells(table, weight), SIZE)
    page.text(box.x - 8, box.centre - 6, label(SLUG, "trap"), size=8.5, ink=INK, anchor="end")
    page.text(box.x - 8, box.centre + 6, label(SLUG, "shifted"), size=8.5, ink=INK, anchor="end")
