"""Exercise 18: a loss that falls says nothing about the mask."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import finished, label, right, wrong
from kata.handouts.figures.shapes import DASHES, Axis, curve, frame
from kata.palette import BLUE, INK, ORANGE

SLUG, DROPPED = "ex18_training_run", ("ex05_causal_masks", "scores-fill-dropped")
STEPS, SAMPLES, TOKENS, WIDTH, HEADS = 100, 1, 8, 32, 4
CHART = Box(34, 26, 300, 140)
PRINTED = (0, 30, 60, 90)  # steps with losses in numbers
LOOKS = {
    "unmasked": (ORANGE.dark, DASHES[0], 3.0),
    "dropped": (INK, DASHES[1], 1.2),  # over the one before, which it follows
    "working": (BLUE.dark, DASHES[2], 1.8),
}  # colours, dashes and widths of the runs


class Attention(nn.Module):
    """The layers of exercise 09 with a right or a wrong way to fill scores."""

    def __init__(self, fill: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.parts = right("ex09_multi_head_attention").MultiHeadAttention(WIDTH, HEADS)
        self.fill = fill

    def forward(self, x: Tensor, _: Tensor, __: Tensor, mask: Tensor | None) -> Any:
        """Self-attention under this fill."""
        answer = right("ex07_heads")
        layers = self.parts.w_query, self.parts.w_key, self.parts.w_value
        queries, keys, values = (answer.split_heads(layer(x), HEADS) for layer in layers)
        scores = queries @ keys.mT / self.parts.head_dim**0.5
        filled = scores if mask is None else self.fill(scores, mask)
        return self.parts.w_out(answer.merge_heads(filled.softmax(dim=-1) @ values))


def figure() -> Figure:
    """Three runs as curves, some of their losses as numbers, and the verdicts of the check."""
    page = Drawing()
    _curves(page)
    _numbers(page)
    runs = losses("unmasked"), losses("dropped")
    gap = max(abs(a - b) for a, b in zip(*runs, strict=True))
    return finished(page, SLUG, steps=STEPS, gap=number(gap, 4))


@cache
def losses(run: str) -> tuple[float, ...]:
    """The losses of a run of document 001: seed 42, one sample, with a mask or without."""
    torch.manual_seed(42)
    x, target = (torch.randn(SAMPLES, TOKENS, WIDTH) for _ in range(2))
    answer = wrong(*DROPPED) if run == "dropped" else right(DROPPED[0])
    mask = None if run == "unmasked" else answer.causal_mask(TOKENS)
    with torch.enable_grad():
        return tuple(right(SLUG).train(Attention(answer.mask_scores), x, target, mask, STEPS))


def _curves(page: Drawing) -> None:
    across = Axis(0, STEPS, [(n, str(n)) for n in range(0, STEPS + 1, 20)], label(SLUG, "step"))
    up = Axis(0, 1, [(0, "0"), (0.5, "0.5"), (1, "1")], label(SLUG, "loss"))
    frame(page, CHART, across, up)
    for run, (hue, dash, thick) in LOOKS.items():
        curve(page, CHART, across, up, losses(run), ink=hue, dash=dash, thick=thick)


def _numbers(page: Drawing) -> None:
    """Draw a line for every run: its look, four losses, and the verdict of the check."""
    x, y = CHART.right + 24, 22.0
    for at, step in enumerate(PRINTED):
        page.text(x + 104 + at * 44, y, label(SLUG, "at", step=step), size=8)
    for row, (run, (hue, dash, thick)) in enumerate(LOOKS.items()):
        top = y + 22 + row * 46
        page.line((x, top), (x + 22, top), ink=hue, thick=thick, dash=dash)
        page.text(x + 28, top, label(SLUG, run), ink=INK, anchor="start")
        for at, step in enumerate(PRINTED):
            loss = number(losses(run)[step], 4)
            page.text(x + 104 + at * 44, top, loss, size=8, ink=INK, mono=True)
        if run != "unmasked":
            same = right(SLUG).losses_match_unmasked(list(losses(run)), list(losses("unmasked")))
            ink = ORANGE.dark if same else BLUE.dark
            page.text(x + 28, top + 15, "losses_match_unmasked", size=8, anchor="start", mono=True)
            page.text(x + 140, top + 15, f"→ {same}", size=8.5, ink=ink, anchor="start", mono=True)
