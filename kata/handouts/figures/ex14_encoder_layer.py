"""Exercise 14: the sums of a layer, and the places of its norms."""

from typing import Any

from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import filled, finished, label, right, spread, tensor
from kata.handouts.figures.shapes import part
from kata.palette import BLUE, GREEN, INK, ORANGE

SLUG = "ex14_encoder_layer"
S, E, H, F = 5, 8, 2, 16
HIGH, GAP = 22.0, 33.0
ASKED, OTHER = 58.0, 148.0  # the levels of the paths
STEP = 4  # parts of one step
PARTS = {
    "attention": (BLUE, 52.0), "feed_forward": (ORANGE, 64.0), "norm1": (GREEN, 38.0),
    "norm2": (GREEN, 38.0), "dropout": (None, 42.0), "+": (None, 18.0),
}  # colours and widths  # fmt: skip
INSIDE = {"attention": "on-weights", "feed_forward": "on-hidden"}
AFTER = ("attention", "dropout", "+", "norm1", "feed_forward", "dropout", "+", "norm2")
BEFORE = ("norm1", "attention", "dropout", "+", "norm2", "feed_forward", "dropout", "+")


def figure() -> Figure:
    """The layer of the exercise; below it, the pre-norm layer, which is a different one."""
    page = Drawing()
    layer, x = example()
    ends = [_path(page, y, order, spreads(layer, x, order))
            for y, order in ((ASKED, AFTER), (OTHER, BEFORE))]  # fmt: skip
    page.text(4, ASKED - 46, label(SLUG, "asked"), ink=INK, anchor="start")
    page.text(4, OTHER - 46, label(SLUG, "other"), anchor="start")
    return finished(page, SLUG, asked=number(ends[0]), other=number(ends[1]))


def example() -> tuple[Any, Tensor]:
    """A layer with new norms, and five tokens."""
    layer = right(SLUG).EncoderLayer(E, H, F).double().eval()
    filled(layer.attention, 9, 0.6)
    filled(layer.feed_forward, 5, 0.6)
    return layer, tensor(1, 1, S, E)


def spreads(layer: Any, x: Tensor, order: tuple[str, ...]) -> list[float]:
    """The spread of the tokens at the beginning, and after every part."""
    distances, tokens, stream = [spread(x)], x, x
    for at, name in enumerate(order):
        stream = tokens if at % STEP == 0 else stream
        tokens = _through(layer, name, tokens, stream)
        distances.append(spread(tokens))
    return distances


def _through(layer: Any, name: str, tokens: Tensor, stream: Tensor) -> Tensor:
    """The result of one part for some tokens; in evaluation dropout returns them unchanged."""
    if name == "+":
        return stream + tokens
    if name == "dropout":
        return tokens
    if name == "attention":
        context: Tensor = layer.attention(tokens, tokens, tokens)[0]
        return context
    output: Tensor = layer.get_submodule(name)(tokens)
    return output


def _path(page: Drawing, y: float, order: tuple[str, ...], distances: list[float]) -> float:
    """Draw the parts in a row, the two sums fed from above; return the spread at the end."""
    page.text(8, y, "x", size=11, ink=INK)
    x, branch = 14.0, 0.0
    for at, name in enumerate(order):
        if at % STEP == 0:
            branch = x + 8
            page.dot(branch, y, ink=INK)
        _between(page, x, y, distances[at])
        x = _node(page, x + GAP, y, name)
        if name == "+":
            top = y - 30
            page.arrow((branch, y), (branch, top), (x - 8, top), (x - 8, y - 9), ink=INK)
    _between(page, x, y, distances[-1])
    return distances[-1]


def _between(page: Drawing, x: float, y: float, distance: float) -> None:
    """Draw an arrow to the next part, with the spread of its input."""
    page.arrow((x, y), (x + GAP - 1, y), ink=INK)
    page.text(x + GAP / 2 - 1, y + 9, number(distance), size=8, mono=True)


def _node(page: Drawing, x: float, y: float, name: str) -> float:
    """Draw a part, with the name of its inner dropout below; return where it ends."""
    hue, width = PARTS[name]
    part(page, Box(x, y - HIGH / 2, width, HIGH), name, hue, size=8.5)
    if name in INSIDE:
        page.text(x + width / 2, y + HIGH / 2 + 9, label(SLUG, INSIDE[name]), size=8)
    return x + width
