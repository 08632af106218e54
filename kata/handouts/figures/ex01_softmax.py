"""Exercise 01: from scores to shares, and why the largest score is taken off first."""

from collections.abc import Sequence

import numpy as np

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right
from kata.handouts.figures.shapes import Cell, cells, grid, plain, step, struck, weight
from kata.palette import HUES, INK, ORANGE

SLUG = "ex01_softmax"
SCORES = np.array([[2.0, 1.0, -1.0], [1002.0, 1001.0, 999.0], [-1.0, 2.0, -np.inf]])
LEFT, TOP, SIZE = 8.0, 26.0, (34.0, 24.0)
BLOCK = 3 * SIZE[0]
BARS = 150.0


def figure() -> Figure:
    """Three lines of scores on their way to weights."""
    page = Drawing()
    shifted = SCORES - SCORES.max(axis=-1, keepdims=True)
    powers, shares = np.exp(shifted), right(SLUG).softmax(SCORES)
    x = _block(page, LEFT, "scores", cells(SCORES, _whole))
    x = _block(page, _step(page, x, "− largest"), "shifted", cells(shifted, _whole))
    x = _block(page, _step(page, x, "exp"), "powers", cells(powers, weight))
    _bars(page, _step(page, x, "÷ sum"), shares)
    _trap(page, TOP + 3 * SIZE[1] + 22)
    return finished(page, SLUG)


def _whole(value: float) -> Cell:
    return struck("−∞") if np.isinf(value) else plain(value, 0)


def _block(page: Drawing, x: float, words: str, table: Sequence[Sequence[Cell]]) -> float:
    page.text(x + BLOCK / 2, TOP - 10, words, ink=INK)
    return grid(page, x, TOP, table, SIZE).right


def _step(page: Drawing, x: float, words: str) -> float:
    return step(page, x + 6, TOP + 1.5 * SIZE[1], 46, words, mono=False) + 6


def _bars(page: Drawing, x: float, shares: np.ndarray) -> None:
    """The lines of weights as bars of length one."""
    page.text(x + BARS / 2, TOP - 10, label(SLUG, "weights"), ink=INK)
    for row, line in enumerate(shares):
        left = x
        for at, share in enumerate(line):
            wide = BARS * float(share)
            if wide:
                _piece(page, Box(left, TOP + row * SIZE[1] + 3, wide, SIZE[1] - 6), share, at)
            left += wide


def _piece(page: Drawing, box: Box, share: float, hue: int) -> None:
    page.rect(box, fill=HUES[hue].light, edge=HUES[hue].dark, corner=0)
    if box.width > 20:
        page.text(box.middle, box.centre, number(share), size=8, ink=HUES[hue].dark, mono=True)


def _trap(page: Drawing, y: float) -> None:
    """The second line without the first step, as a learner would see it."""
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(SCORES[1])
        shares = powers / powers.sum()
    page.text(LEFT, y, label(SLUG, "trap"), anchor="start", ink=ORANGE.dark)
    results = f"exp {powers.tolist()}", f"÷ sum {shares.tolist()}"
    for x, words in zip((272, 430), results, strict=True):
        page.text(x, y, words, size=8.5, anchor="start", ink=INK, mono=True)
