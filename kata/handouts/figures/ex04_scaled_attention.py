"""Exercise 04: the root of the width, and the weights without it."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import DASHES, Axis, cells, curve, frame, grid, heated, labels_x
from kata.palette import BLUE, INK, ORANGE

SLUG, UNSCALED = "ex04_scaled_attention", "no-scale"
WIDTHS = tuple(2**power for power in range(11))  # D from 1 to 1024
SHOWN = (4, 64, 1024)
SAMPLES, TOKENS = 60, 6
CHART = Box(34, 30, 230, 130)
SIZE = 24.5, 20.0


def figure() -> Figure:
    """The largest weight of many queries over growing widths; the weights of one of them."""
    page = Drawing()
    unscaled, scaled = ([weights(answer, width) for width in WIDTHS] for answer in answers())
    _curves(page, [_largest(table) for table in unscaled], [_largest(table) for table in scaled])
    for at, (name, many) in enumerate((("unscaled", unscaled), ("scaled", scaled))):
        lines = [many[WIDTHS.index(width)][0, 0] for width in SHOWN]
        _maps(page, 372 + at * 158, label(SLUG, name), lines, first=at == 0)
    values = {"hard": number(_largest(unscaled[-1])), "calm": number(_largest(scaled[-1]))}
    return finished(page, SLUG, **values)


def answers() -> tuple[Any, Any]:
    """Attention without its scale, and with it."""
    return wrong(SLUG, UNSCALED), right(SLUG)


def weights(answer: Any, width: int) -> Tensor:
    """The weights of normal queries on normal keys of this width, (B, T, S)."""
    query, key = (tensor(seed + width, SAMPLES, TOKENS, width, digits=3) for seed in (0, 5000))
    shares: Tensor = answer.scaled_dot_product_attention(query, key, key)[1]
    return shares


def _largest(shares: Tensor) -> float:
    """The largest weight of a query, on average."""
    return float(shares.amax(dim=-1).mean())


def _curves(page: Drawing, unscaled: Sequence[float], scaled: Sequence[float]) -> None:
    across = Axis(0, 10, [(n, str(2**n)) for n in range(0, 11, 2)], label(SLUG, "width"))
    up = Axis(0, 1, [(0, "0"), (0.5, "0.5"), (1, "1")], label(SLUG, "largest"))
    frame(page, CHART, across, up)
    for heights, name, hue, dash in (
        (unscaled, "unscaled", ORANGE, DASHES[1]),
        (scaled, "scaled", BLUE, DASHES[0]),
    ):
        x, y = curve(page, CHART, across, up, heights, ink=hue.dark, dash=dash, thick=1.6)
        page.text(x + 5, y, label(SLUG, name), ink=hue.dark, anchor="start", mono=True)


def _maps(page: Drawing, x: float, words: str, lines: Sequence[Tensor], *, first: bool) -> None:
    top = 52
    page.text(x + 3 * SIZE[0], top - 24, words, ink=INK, mono=True)
    labels_x(page, x, top - 9, [f"key {s}" for s in range(TOKENS)], SIZE[0])
    for row, line in enumerate(lines):
        y = top + row * (SIZE[1] + 12)
        if first:
            page.text(x - 5, y + SIZE[1] / 2, f"D = {SHOWN[row]}", size=8, anchor="end")
        grid(page, x, y, cells([line.tolist()], heated), SIZE)
