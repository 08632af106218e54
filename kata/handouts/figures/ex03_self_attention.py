"""Exercise 03: one text, projected three times, and the paths of the three projections."""

from functools import partial

from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import finished, right, tensor
from kata.handouts.figures.shapes import bent_arrow, cells, coloured, headed, heated, plain, step
from kata.palette import HUES, INK

SLUG = "ex03_self_attention"
S, D_IN, D_OUT = 3, 3, 2
SIZE = 27.0, 15.0
HIGH = S * SIZE[1]
TOP, APART = 20.0, 70.0
NAMES = ("query", "key", "value")


def figure() -> Figure:
    """x, three weights, three projections, then scores, weights and contexts."""
    page = Drawing()
    x, weights = tensor(14, S, D_IN), [tensor(30 + at, D_IN, D_OUT, spread=0.5) for at in range(3)]
    token = headed(page, 6, TOP + APART, cells(x, plain), SIZE, f"x ({S}, {D_IN})")
    boxes = [_projection(page, token, at, weight, x @ weight) for at, weight in enumerate(weights)]
    shares = _weights(page, boxes, x @ weights[0], x @ weights[1])
    _contexts(page, boxes[2], shares, right(SLUG).self_attention(x, *weights))
    return finished(page, SLUG)


def _projection(page: Drawing, token: Box, at: int, weight: Tensor, values: Tensor) -> Box:
    """Draw the path of x through one weight; return the box of the projection."""
    y, ink = TOP + at * APART, HUES[at].dark
    turn = token.right + 14
    start, level = (token.right + 4, token.centre), y + HIGH / 2
    bent_arrow(page, start, turn, (turn + 20, level), ink)
    words = f"w_{NAMES[at]} ({D_IN}, {D_OUT})"
    layer = headed(page, turn + 26, y, cells(weight, plain), SIZE, words, ink=ink)
    end = step(page, layer.right + 6, level, 20)
    table = cells(values, partial(coloured, hue=at))
    return headed(page, end + 6, y, table, SIZE, f"{NAMES[at][0]} ({S}, {D_OUT})", ink=ink)


def _weights(page: Drawing, projections: list[Box], queries: Tensor, keys: Tensor) -> Box:
    """Queries and keys meet; a softmax makes weights of the scores."""
    scores = queries @ keys.mT / D_OUT**0.5
    y = TOP + APART / 2
    box = headed(page, 340, y, cells(scores, plain), SIZE, "q @ kᵀ / √d_out", mono=True)
    for at, away in ((0, -8), (1, 8)):
        start = projections[at].right + 4, projections[at].centre
        bent_arrow(page, start, box.x - 30, (box.x - 6, box.centre + away), HUES[at].dark)
    end = step(page, box.right + 6, box.centre, 48, "softmax", mono=False)
    shares = right("ex04_scaled_attention").scaled_dot_product_attention(queries, keys, keys)[1]
    return headed(page, end + 6, y, cells(shares, heated), SIZE, f"weights ({S}, {S})")


def _contexts(page: Drawing, values: Box, shares: Box, contexts: Tensor) -> None:
    """The weights mix the values."""
    y, at = values.centre, shares.middle
    page.arrow((values.right + 4, y), (at - 10, y), ink=HUES[2].dark)
    page.arrow((at, shares.bottom + 5), (at, y - 10))
    page.text(at, y, "@", size=11, ink=INK, mono=True)
    page.arrow((at + 10, y), (604, y), ink=HUES[2].dark)
    table = cells(contexts, partial(coloured, hue=2))
    headed(page, 610, y - HIGH / 2, table, SIZE, f"contexts ({S}, {D_OUT})")
