"""Exercise 02: every query meets every key, and one of the dot products is written out."""

from functools import partial

import numpy as np

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, right
from kata.handouts.figures.shapes import (
    CELL,
    cells,
    coloured,
    grid,
    heated,
    labels_x,
    labels_y,
    outlined,
    step,
)
from kata.palette import BLUE, GREEN, INK, ORANGE

SLUG = "ex02_attention_scores"
QUERIES = np.array([[1.0, 0.0, 1.0], [0.5, 1.0, -1.0]])  # (T, E)
KEYS = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]])  # (S, E)
VALUES = np.array([[4.0, 0.0], [0.0, 4.0], [8.0, 0.0], [0.0, 8.0]])  # (S, Dv)
T, S, E = 2, 4, 3
QUERY, KEY = 1, 3  # the pair that is written out
WIDE, HIGH = CELL
LEFT, TOP = 62.0, 30.0
CROSS = TOP + E * HIGH + 14  # where the rows of the queries begin


def figure() -> Figure:
    """Queries from the left, keys from above, scores where they cross; then weights, contexts."""
    page, answer = Drawing(), right(SLUG)
    scores = answer.attention_scores(QUERIES, KEYS)
    weights = answer.attention_weights(scores)
    x = _crossing(page, scores)
    x = _weights(page, step(page, x + 10, CROSS + HIGH, 54, "softmax", mono=False) + 8, weights)
    _contexts(page, x + 22, answer.context_vectors(weights, VALUES))
    _written_sum(page, scores)
    return finished(page, SLUG, query=QUERY, key=KEY)


def _crossing(page: Drawing, scores: np.ndarray) -> float:
    left = LEFT + E * WIDE + 14
    labels_x(page, left, TOP - 7, [f"key {s}" for s in range(S)])
    labels_y(page, LEFT - 5, CROSS, [f"query {t}" for t in range(T)])
    grid(page, left, TOP, cells(KEYS.T, partial(coloured, hue=2)))
    grid(page, LEFT, CROSS, cells(QUERIES, partial(coloured, hue=1)))
    table = cells(scores, partial(coloured, hue=0))
    table[QUERY][KEY] = outlined(table[QUERY][KEY])
    box = grid(page, left, CROSS, table)
    page.rect(Box(left + KEY * WIDE, TOP, WIDE, E * HIGH), share=0, edge=INK, thick=1.3)
    page.rect(Box(LEFT, CROSS + QUERY * HIGH, E * WIDE, HIGH), share=0, edge=INK, thick=1.3)
    page.text(LEFT + E * WIDE / 2, CROSS - 8, f"queries ({T}, {E})", ink=ORANGE.dark)
    page.text(box.middle, TOP - 22, f"keys, turned ({E}, {S})", ink=GREEN.dark)
    page.text(box.middle, box.bottom + 9, f"scores ({T}, {S})", ink=BLUE.dark)
    return box.right


def _weights(page: Drawing, x: float, weights: np.ndarray) -> float:
    box = grid(page, x, CROSS, cells(weights, heated), (28, HIGH))
    page.text(box.middle, box.bottom + 9, f"weights ({T}, {S})", ink=BLUE.dark)
    for row, line in enumerate(weights):
        page.text(box.right + 5, CROSS + (row + 0.5) * HIGH, f"Σ {number(line.sum(), 0)}",
                  size=8.5, anchor="start")  # fmt: skip
    return box.right + 22


def _contexts(page: Drawing, x: float, contexts: np.ndarray) -> None:
    page.text(x - 8, CROSS + HIGH, "@", size=10, ink=INK, mono=True)
    top = CROSS + HIGH - S * HIGH / 2
    box = grid(page, x + 6, top, cells(VALUES, partial(coloured, hue=3, digits=0)))
    page.text(box.middle, top - 8, f"values ({S}, 2)")
    page.text(box.right + 12, CROSS + HIGH, "=", size=10, ink=INK, mono=True)
    table = cells(contexts, partial(coloured, hue=3, digits=2))
    last = grid(page, box.right + 24, CROSS, table, (31, HIGH))
    page.text(last.middle, last.bottom + 9, f"contexts ({T}, 2)")


def _written_sum(page: Drawing, scores: np.ndarray) -> None:
    """The sum behind the score in the frame."""
    pairs = zip(QUERIES[QUERY], KEYS[KEY], strict=True)
    terms = [f"{_short(a)}·{_short(b)}" for a, b in pairs]
    words = f"query {QUERY} · key {KEY} = {' + '.join(terms)} = {number(scores[QUERY, KEY], 1)}"
    page.text(LEFT - 38, CROSS + T * HIGH + 27, words, size=10, ink=INK, anchor="start")


def _short(value: float) -> str:
    text = number(value, 0 if float(value).is_integer() else 1)
    return f"({text})" if value < 0 else text
