"""Exercise 24: two rows under top-k and top-p, and the token that a draw picks."""

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right
from kata.handouts.figures.shapes import Cell, cells, grid, plain, struck
from kata.palette import HUES, INK, ORANGE

SLUG = "ex24_sampling"
LOGITS = torch.tensor([[1.0, 4.0, -1.0, 1.5, 0.0], [1.0, 1.4, -1.0, 1.2, 0.7]])
K, P, DRAW = 2, 0.8, 0.75
SIZE = (24.0, 20.0)
NAMES = ("sure", "unsure")
TOP, APART = 40.0, 66.0  # of the first row, and from row to row
BARS = 212.0


def figure() -> Figure:
    """Two rows on their ways from logits to tokens."""
    page, answer = Drawing(), right(SLUG)
    by_k, by_p = answer.keep_top_k(LOGITS, K), answer.keep_top_p(LOGITS, P)
    parts = answer.token_probabilities(by_p)
    tokens = answer.pick(parts, torch.full((2,), DRAW)).tolist()
    for row, name in enumerate(NAMES):
        y = TOP + row * APART
        page.text(22, y + SIZE[1] / 2, label(SLUG, name), ink=INK)
        x = _tables(page, 46, y, row, [LOGITS[row], by_k[row], by_p[row]])
        _line(page, Box(x, y, BARS, SIZE[1]), parts[row], tokens[row])
    few, many = by_p.isfinite().sum(dim=-1).tolist()
    picked = {"first": tokens[0], "second": tokens[1], "few": few, "many": many}
    return finished(page, SLUG, size=LOGITS.size(-1), k=K, p=P, draw=DRAW, **picked)


def _tables(page: Drawing, x: float, y: float, row: int, tables: list[Tensor]) -> float:
    """Draw logits, those of top-k and those of top-p as rows of cells; return where these end."""
    for at, (name, values) in enumerate(zip(("logits", "top-k", "top-p"), tables, strict=True)):
        box = grid(page, x, y, cells(values[None], _logit), SIZE)
        if row == 0:
            page.text(box.middle, y - 22, label(SLUG, name, k=K, p=P), ink=INK)
        for token in range(len(values)):
            page.text(x + (token + 0.5) * SIZE[0], y - 7, str(token), size=8)
        x = box.right + (14 if at < 2 else 20)
    return x


def _logit(value: float) -> Cell:
    return struck("−∞") if value == float("-inf") else plain(value)


def _line(page: Drawing, box: Box, parts: Tensor, token: int) -> None:
    """Draw the line from 0 to 1 with the parts of all tokens, and the place of the draw."""
    left = box.x
    for at, share in enumerate(parts.tolist()):
        if share:
            piece, hue = Box(left, box.y, BARS * share, box.height), HUES[at % len(HUES)]
            page.rect(piece, fill=hue.light, edge=hue.dark, corner=0)
            words = f"{at}: {number(share)}" if piece.width > 40 else str(at)
            page.text(piece.middle, piece.centre, words, size=8, ink=hue.dark, mono=True)
            left = piece.right
    x = box.x + BARS * DRAW
    page.arrow((x, box.bottom + 12), (x, box.bottom + 1), ink=ORANGE.dark)
    sentence = f"{label(SLUG, 'draw', draw=DRAW)} {label(SLUG, 'picked', token=token)}"
    page.text(x, box.bottom + 18, sentence, ink=ORANGE.dark)
    if box.y == TOP:
        page.text(box.middle, box.y - 22, label(SLUG, "line"), ink=INK)
    for x, words in ((box.x, "0"), (box.right, "1")):
        page.text(x, box.y - 7, words, size=8)
