"""Exercise 05: two masks, both together, and their effect on weights."""

import torch

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import finished, label, right, tensor
from kata.handouts.figures.shapes import axis_y, cells, grid, heated, step, truth, weight
from kata.palette import INK

SLUG = "ex05_causal_masks"
S, LENGTH = 5, 3
SMALL, LARGE = (15.0, 18.0), (25.0, 18.0)
TOP = 40.0
HIGH = S * 18.0
MIDDLE = TOP + HIGH / 2


def figure() -> Figure:
    """Causal and padding mask, joined; the weights without them and with them."""
    page, answer = Drawing(), right(SLUG)
    causal, padding = answer.causal_mask(S), answer.padding_mask(torch.tensor([LENGTH]), S)[0]
    x = _mask(page, 24, causal, "causal", f"({S}, {S})")
    page.text(x + 13, MIDDLE, "&", size=12, ink=INK, mono=True)
    x = _mask(page, x + 26, padding, "padding", f"(1, {S})")
    x = _mask(page, step(page, x + 6, MIDDLE, 18) + 6, causal & padding, "both", f"({S}, {S})")
    _before_and_after(page, x + 40, causal & padding)
    axis_y(page, 14, TOP, HIGH, label(SLUG, "queries"))
    return finished(page, SLUG, size=S, real=LENGTH)


def _mask(page: Drawing, x: float, mask: torch.Tensor, name: str, shape: str) -> float:
    """Draw one mask, with its hidden keys struck through; return the x of its end."""
    top = MIDDLE - len(mask) * 9
    box = grid(page, x, top, cells(mask, truth), SMALL)
    page.text(box.middle, TOP - 24, label(SLUG, name), ink=INK)
    page.text(box.middle, TOP - 9, label(SLUG, "keys"), size=8)
    page.text(box.middle, TOP + HIGH + 10, shape, size=8, mono=True)
    return box.right


def _before_and_after(page: Drawing, x: float, mask: torch.Tensor) -> None:
    query, key = tensor(2, S, 4), tensor(3, S, 4)
    unmasked, masked = (
        right(SLUG).masked_attention(query, key, key, argument)[1] for argument in (None, mask)
    )
    before = grid(page, x, TOP, cells(unmasked, heated), LARGE)
    end = step(page, before.right + 7, MIDDLE, 34, label(SLUG, "mask"), mono=False) + 7
    after = grid(page, end, TOP, cells(masked, weight), LARGE)
    for box, name, weights in ((before, "before", unmasked), (after, "after", masked)):
        page.text(box.middle, TOP - 24, label(SLUG, name), ink=INK)
        page.text(box.middle, TOP - 9, label(SLUG, "keys"), size=8)
        sums = {round(float(value), 6) for value in weights.sum(dim=-1)}
        assert sums == {1.0}  # as the text below says
        page.text(box.middle, TOP + HIGH + 10, label(SLUG, "sum"), size=8)
