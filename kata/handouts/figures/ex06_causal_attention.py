"""Exercise 06: one mask for every length, and weights that are dropped out."""

from typing import Any

from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import filled, finished, label, right, tensor
from kata.handouts.figures.shapes import Cell, cells, grid, heated, outlined, step, struck, truth
from kata.palette import BLUE, INK, ORANGE

SLUG = "ex06_causal_attention"
CONTEXT, T, WIDTH, RATE = 6, 4, 4, 0.25
SMALL, LARGE = (16.0, 16.0), (28.0, 19.0)
TOP = 36.0
MIDDLE = TOP + 2 * LARGE[1]
SURVIVOR = 2, 1  # the weight that is written out


def figure() -> Figure:
    """The part of the buffer that four tokens need; their weights, dropped out and not."""
    page = Drawing()
    model = filled(right(SLUG).CausalAttention(WIDTH, WIDTH, CONTEXT, RATE), 18, 0.6)
    edge = _buffer(page, 8, model.mask)
    before, after = dropped(model)
    x = step(page, edge + 10, MIDDLE, 52, f"[:{T}, :{T}]") + 10
    whole = _map(page, x, before, before, label(SLUG, "weights"))
    x = step(page, whole.right + 8, MIDDLE, 56, label(SLUG, "dropout", rate=RATE), mono=False) + 8
    last = _map(page, x, after, before, label(SLUG, "training"))
    _survivor(page, last, before, after)
    return finished(page, SLUG, rate=RATE, stays=1 - RATE, context=CONTEXT, tokens=T)


def dropped(model: Any) -> tuple[Tensor, Tensor]:
    """The weights that go into the dropout, and those that come out of it in training."""
    inputs: list[Tensor] = []
    hook = model.dropout.register_forward_hook(lambda _, arguments, __: inputs.extend(arguments))
    model(tensor(9, 1, T, WIDTH))
    hook.remove()
    (weights,) = inputs[0]
    # PyTorch would drop other weights on another machine.
    stays = tensor(21, T, T) > -0.6
    return weights, weights * stays / (1 - RATE)


def _buffer(page: Drawing, x: float, mask: Tensor) -> float:
    """The whole mask, with a frame around the part for four tokens."""
    top = MIDDLE - CONTEXT * SMALL[1] / 2
    box = grid(page, x, top, cells(mask, truth), SMALL)
    page.text(box.middle, top - 10, label(SLUG, "buffer"), ink=INK)
    corner = Box(x, top, T * SMALL[0], T * SMALL[1])
    page.rect(corner, share=0, edge=ORANGE.dark, thick=1.6)
    page.text(box.middle, box.bottom + 10, f"({CONTEXT}, {CONTEXT})", size=8, mono=True)
    return box.right


def _map(page: Drawing, x: float, weights: Tensor, before: Tensor, words: str) -> Box:
    """Draw weights, and dropped ones as zeros with an edge; return their box with the sums."""
    box = grid(page, x, TOP, cells(weights, _cell, before), LARGE)
    page.text(box.middle, TOP - 10, words, ink=INK)
    for row, line in enumerate(weights):
        total = f"Σ {number(float(line.sum()))}"
        page.text(box.right + 4, TOP + (row + 0.5) * LARGE[1], total, size=8, anchor="start")
    return Box(box.x, box.y, box.width + 31, box.height)


def _cell(share: float, was: float) -> Cell:
    if was == 0:
        return struck()
    return heated(share, most=1.4) if share else outlined(struck("0"), ORANGE.dark)


def _survivor(page: Drawing, last: Box, before: Tensor, after: Tensor) -> None:
    """Write out a weight that stays, and so is divided by the share that stays."""
    was, now = (number(float(weights[SURVIVOR])) for weights in (before, after))
    y = last.bottom + 24
    words = label(SLUG, "survivor", was=was, now=now, stays=1 - RATE)
    page.text(last.right, y, words, size=9.5, ink=BLUE.dark, anchor="end")
    page.text(last.right, y + 14, label(SLUG, "evaluation"), size=9.5, anchor="end")
