"""Exercise 16: multi-head attention from x to the output, in arrays."""

from typing import Any

import numpy as np

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import finished, label, right, tensor
from kata.handouts.figures.shapes import (
    Cell,
    bent_arrow,
    cells,
    coloured,
    headed,
    plain,
    step,
    struck,
    weight,
)
from kata.palette import HUES

Array = np.ndarray[Any, Any]

SLUG = "ex16_numpy_multi_head"
S, E, H = 3, 4, 2
D = E // H
SIZE = 24.0, 16.0
HIGH = S * SIZE[1]
TOPS = 36.0, 128.0  # of the heads
MIDDLE = (TOPS[0] + TOPS[1] + HIGH) / 2


def figure() -> Figure:
    """x at the left, the output at the right, and between them the steps of both heads."""
    page, answer = Drawing(), right(SLUG)
    x, weights, mask = example()
    queries, keys, values = (answer.split_heads(x @ projection, H)[0] for projection in weights[:3])
    left = _table(page, 4, MIDDLE - HIGH / 2, x[0], None, f"x ({S}, {E})")
    ends = []
    for head, parts in enumerate(zip(queries, keys, values, strict=True)):
        beginning = _fork(page, left, TOPS[head] + HIGH / 2)
        ends.append(_head(page, beginning, head, *parts, mask))
    output = answer.multi_head_attention(x, *weights, H, mask)[0]
    for box in ends:
        start, turn = (box.right + 3, box.centre), box.right + 12
        bent_arrow(page, start, turn, (turn + 13, MIDDLE))
    _table(page, ends[0].right + 28, MIDDLE - HIGH / 2, output, None, f"output ({S}, {E})")
    page.text(ends[0].right + 28 + 2 * SIZE[0], MIDDLE + HIGH / 2 + 10, "merge_heads(…) @ w_out",
              size=8, mono=True)  # fmt: skip
    return finished(page, SLUG)


def example() -> tuple[Array, list[Array], Array]:
    """One sample of three tokens, four weights, and a causal mask."""
    weights = [tensor(seed, E, E, spread=0.6).numpy() for seed in range(31, 35)]
    return tensor(30, 1, S, E).numpy(), weights, np.tri(S, dtype=bool)


def _head(
    page: Drawing, x: float, head: int, query: Array, key: Array, value: Array, mask: Array
) -> Box:
    """Draw the steps of one head; return the box of its context."""
    y = TOPS[head]
    scores = query @ key.T / D**0.5
    hidden = np.where(mask, scores, -np.inf)
    weights = right("ex01_softmax").softmax(hidden)
    x = _table(page, x, y, query, head, f"queries ({S}, {D})").right
    x = _table(page, _next(page, x, y), y, scores, None, "q @ kᵀ / √D", mono=True).right
    x = _table(page, _next(page, x, y), y, hidden, None, "where(mask, …)", mono=True).right
    shares = cells(weights, weight)
    box = headed(page, _next(page, x, y), y, shares, SIZE, "softmax", letters=8, mono=True)
    context = _table(page, _next(page, box.right, y), y, weights @ value, head, "@ v", mono=True)
    page.text(x - 6 * SIZE[0], y + HIGH + 9, label(SLUG, "head", number=head), ink=HUES[head].dark)
    return context


def _next(page: Drawing, x: float, y: float) -> float:
    return step(page, x + 3, y + HIGH / 2, 14) + 3


def _fork(page: Drawing, token: Box, y: float) -> float:
    """Draw the arrow from x to a head; return where the head begins."""
    start, turn = (token.right + 3, token.centre), token.right + 12
    bent_arrow(page, start, turn, (turn + 13, y))
    return turn + 16


def _table(
    page: Drawing,
    x: float,
    y: float,
    values: Array,
    head: int | None,
    words: str,
    mono: bool = False,
) -> Box:
    """Numbers, in the colour of a head if they are its own; −∞ is struck through."""
    table = cells(values, lambda value: _number(value, head))
    return headed(page, x, y, table, SIZE, words, letters=8, mono=mono)


def _number(value: float, head: int | None) -> Cell:
    if np.isinf(value):
        return struck("−∞")
    return plain(value) if head is None else coloured(value, head)
