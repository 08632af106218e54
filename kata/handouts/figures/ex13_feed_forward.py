"""Exercise 13: two layers, which see one token at a time."""

import torch
from torch import Tensor

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import filled, finished, label, right, tensor
from kata.handouts.figures.shapes import (
    Cell,
    axis_x,
    coloured,
    grid,
    labels_y,
    outlined,
    step,
    struck,
)
from kata.palette import INK

SLUG = "ex13_feed_forward"
S, E, F = 3, 2, 5
CHANGED = 1  # the token that differs in the second line
SIZE = 25.0, 17.0
LEFT, TOPS = 62.0, (44.0, 126.0)


def figure() -> Figure:
    """Three tokens on their way; then once more with another token among them."""
    page = Drawing()
    model = filled(right(SLUG).FeedForward(E, F), 8, 0.8)
    x = tensor(3, S, E)
    changed = x.clone()
    changed[CHANGED] = tensor(12, E)
    before, after = stages(model, x), stages(model, changed)
    _line(page, TOPS[0], before, before)
    _line(page, TOPS[1], after, before)
    page.text(LEFT, TOPS[1] - 10, label(SLUG, "again", token=CHANGED), ink=INK, anchor="start")
    return finished(page, SLUG, token=CHANGED)


def stages(model: torch.nn.Module, x: Tensor) -> list[Tensor]:
    """x, the hidden features before and after ReLU, and the output."""
    hidden = model.get_submodule("linear1")(x)
    return [x, hidden, hidden.relu(), model(x)]


def _line(page: Drawing, y: float, tensors: list[Tensor], before: list[Tensor]) -> None:
    """The stages from left to right; a number that changed has an edge."""
    x, first = LEFT, tensors is before
    names = (f"x ({S}, {E})", f"({S}, {F})", f"({S}, {F})", f"({S}, {E})")
    for at, (values, was) in enumerate(zip(tensors, before, strict=True)):
        if at:
            x = step(page, x + 8, y + 1.5 * SIZE[1], 46, label(SLUG, f"step{at}"), mono=False) + 8
        table = [
            [_cell(float(a), token, bool(a != b)) for a, b in zip(*line, strict=True)]
            for token, line in enumerate(zip(values, was, strict=True))
        ]
        box = grid(page, x, y, table, SIZE)
        if first:
            axis_x(page, x, y - 5, box.width, names[at], size=8.5)
        x = box.right
    labels_y(page, LEFT - 6, y, [label(SLUG, "token", number=n) for n in range(S)], SIZE[1])


def _cell(value: float, token: int, changed: bool) -> Cell:
    cell = struck("0") if value == 0 else coloured(value, token)
    return outlined(cell) if changed else cell
