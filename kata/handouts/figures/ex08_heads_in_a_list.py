"""Exercise 08: three heads that attend by themselves, and their contexts side by side."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import filled, finished, right, tensor
from kata.handouts.figures.shapes import bent_arrow, cells, coloured, headed, heated, plain, step
from kata.palette import HUES

SLUG = "ex08_heads_in_a_list"
S, E, H = 3, 6, 3
D = E // H
SIZE, MAP = (22.3, 15.0), (25.0, 15.0)
HIGH = S * SIZE[1]
TOP, APART = 22.0, 72.0
MIDDLE = TOP + APART + HIGH / 2


def figure() -> Figure:
    """The tokens, three heads with their maps and contexts, and the joined result."""
    page = Drawing()
    model = filled(right(SLUG).HeadsInAList(E, H), 40, 0.7)
    x = tensor(4, 1, S, E)
    contexts, output = [head(x)[0] for head in model.heads], model(x)[0]
    maps = [_weights(head, x)[0] for head in model.heads]
    tokens = headed(page, 4, MIDDLE - HIGH / 2, cells(x[0], plain), SIZE, f"x ({S}, {E})")
    boxes = [
        _head(page, tokens, at, *pair) for at, pair in enumerate(zip(maps, contexts, strict=True))
    ]
    _joined(page, boxes[0].right + 42, contexts, output)
    return finished(page, SLUG)


def _weights(head: Any, x: Tensor) -> Tensor:
    """The map of one head, from its own layers."""
    attend = right("ex04_scaled_attention").scaled_dot_product_attention
    weights: Tensor = attend(head.w_query(x), head.w_key(x), head.w_value(x))[1]
    return weights


def _head(page: Drawing, tokens: Box, head: int, shares: Tensor, context: Tensor) -> Box:
    """Draw one head, which sees all of x and gives D features; return the box of these."""
    y, ink = TOP + head * APART, HUES[head].dark
    level, turn = y + HIGH / 2, tokens.right + 13
    bent_arrow(page, (tokens.right + 4, MIDDLE), turn, (turn + 18, level), ink)
    weights = cells(shares, partial(heated, hue=HUES[head]))
    box = headed(page, turn + 24, y, weights, MAP, f"heads[{head}]", ink=ink, mono=True)
    end = step(page, box.right + 6, level, 24, "@ v")
    table = cells(context, partial(coloured, hue=head))
    result = headed(page, end + 6, y, table, SIZE, f"({S}, {D})")
    turn = result.right + 16
    bent_arrow(page, (result.right + 4, level), turn, (turn + 20, MIDDLE), ink)
    return result


def _joined(page: Drawing, left: float, contexts: list[Tensor], output: Tensor) -> None:
    """The contexts of all heads side by side, and the output of the last layer."""
    owners = [[feature // D for feature in range(E)]] * S
    table = cells(torch.cat(contexts, -1), coloured, owners)
    box = headed(page, left, MIDDLE - HIGH / 2, table, SIZE, f"cat ({S}, {E})")
    end = step(page, box.right + 5, MIDDLE, 30, "w_out")
    headed(page, end + 5, MIDDLE - HIGH / 2, cells(output, plain), SIZE, f"({S}, {E})")
