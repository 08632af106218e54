"""Exercise 28: the two maps of a decoder layer, and a mask that does not belong to the memory."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Drawing, Figure, number
from kata.handouts.figures.answers import filled, finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import axis_x, axis_y, cells, grid, labels_x, labels_y, weight
from kata.palette import BLUE, GREEN, HAIR, ORANGE, Hue

SLUG, TRAP = "ex28_cross_attention", "memory-causal"
T, S, E, H, F = 5, 6, 8, 2, 16
LENGTH = 4  # of the memory; the rest is padding
SIZE = 29.0, 21.0
TOP = 48.0


def figure() -> Figure:
    """Weights of the first head of both attentions; at the right, under a wrong causal mask."""
    page = Drawing()
    own, memory = maps(right(SLUG))
    edge = _map(page, 52, own, "own", BLUE)
    page.line((edge + 15, 8), (edge + 15, TOP + T * SIZE[1] + 18), ink=HAIR)
    edge = _map(page, edge + 62, memory, "memory", GREEN)
    page.line((edge + 15, 8), (edge + 15, TOP + T * SIZE[1] + 18), ink=HAIR)
    _map(page, edge + 62, maps(wrong(SLUG, TRAP))[1], "trap", ORANGE)
    return finished(page, SLUG, length=LENGTH, first=number(float(memory[0, LENGTH - 1])))


def maps(answer: Any) -> list[Tensor]:
    """The weights of self-attention and of attention to the memory, for the first head."""
    layer = answer.DecoderLayer(E, H, F).double().eval()
    filled(layer.self_attention, 9, 0.6)
    filled(layer.cross_attention, 5, 0.6)
    tensors: list[Tensor] = []
    for attention in (layer.self_attention, layer.cross_attention):
        attention.register_forward_hook(lambda _, __, output: tensors.append(output[1][0, 0]))
    mask = right("ex05_causal_masks").padding_mask(torch.tensor([LENGTH]), S)
    layer(tensor(1, 1, T, E), tensor(2, 1, S, E), mask)
    return tensors


def _map(page: Drawing, x: float, shares: Tensor, name: str, hue: Hue) -> float:
    """Draw one map, with queries in rows and keys in columns; return where it ends."""
    box = grid(page, x, TOP, cells(shares, partial(weight, hue=hue)), SIZE)
    labels_x(page, x, TOP - 6, [str(key) for key in range(shares.size(1))], SIZE[0])
    labels_y(page, x - 5, TOP, [str(query) for query in range(T)], SIZE[1])
    keys = label(SLUG, "own-keys" if name == "own" else "memory-keys")
    axis_x(page, x, TOP - 18, shares.size(1) * SIZE[0], keys)
    axis_y(page, x - 20, TOP, T * SIZE[1], label(SLUG, "queries"))
    page.text(box.middle, 10, label(SLUG, name), ink=hue.dark)
    page.text(box.middle, TOP + T * SIZE[1] + 12, label(SLUG, f"{name}-below"), size=8.5)
    return box.right
