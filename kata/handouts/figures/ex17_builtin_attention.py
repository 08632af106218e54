"""Exercise 17: one mask, and its meaning in two built-in attentions."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import finished, label, right, tensor
from kata.handouts.figures.shapes import Cell, cells, grid, hued, struck, weight
from kata.palette import BLUE, INK, ORANGE

SLUG = "ex17_builtin_attention"
S = E = 4
X, ONE = tensor(5, 1, S, E), torch.eye(E, dtype=torch.float64)
SMALL, LARGE = (17.0, 17.0), (28.0, 17.0)
TOP, LOW = 44.0, 138.0


def figure() -> Figure:
    """Above, the masks; below, the weights that result from them."""
    page = Drawing()
    mask = right("ex05_causal_masks").causal_mask(S)
    turned = right(SLUG).builtin_mask(mask)
    masks = (mask, mask, mask, turned)
    maps = (_kata(mask), _functional(mask), _module(mask), _module(turned))
    for at, (argument, weights) in enumerate(zip(masks, maps, strict=True)):
        _column(page, 66 + at * 158, at, argument, weights)
    for y, name in ((TOP, "mask"), (LOW, "weights")):
        page.text(4, y + 2 * 17, label(SLUG, name), anchor="start")
    page.text(4, TOP + 4 * 17, label(SLUG, "letters"), anchor="start", size=8)
    return finished(page, SLUG)


def _kata(mask: Tensor) -> Tensor:
    weights: Tensor = right("ex05_causal_masks").masked_attention(X, X, X, mask)[1][0]
    return weights


def _functional(mask: Tensor) -> Tensor:
    # With ones on the diagonal as values, the output is the weights.
    return F.scaled_dot_product_attention(X, X, ONE[None], attn_mask=mask)[0]


def _module(mask: Tensor) -> Tensor:
    # With projections that change nothing, all three see the same scores.
    layer = nn.MultiheadAttention(E, 1, bias=False, batch_first=True).double()
    layer.in_proj_weight.copy_(torch.cat([ONE] * 3))
    weights: Tensor = layer(X, X, X, attn_mask=mask)[1][0]
    return weights


def _column(page: Drawing, x: float, at: int, mask: Tensor, weights: Tensor) -> None:
    """Draw one way to attend: its name, its mask, its weights."""
    wrong = at == 2
    ink = ORANGE.dark if wrong else BLUE.dark
    middle = x + 2 * LARGE[0]
    page.text(middle, 10, label(SLUG, f"name{at}"), size=8.5, ink=INK, mono=True)
    page.text(middle, 24, label(SLUG, f"reads{at}"), size=8.5, ink=ink)
    table = cells(mask, lambda value: hued("T", 0) if value else Cell("F"))
    grid(page, middle - 2 * SMALL[0], TOP, table, SMALL)
    grid(page, x, LOW, cells(weights, _share), LARGE)
    page.text(middle, LOW - 12, label(SLUG, "wrong" if wrong else "right"), size=8.5, ink=ink)


def _share(value: float) -> Cell:
    return struck("nan") if math.isnan(value) else weight(value)
