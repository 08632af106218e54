"""Exercise 22: two steps beside a path, and where the norms are."""

from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import filled, finished, label, right, tensor
from kata.handouts.figures.shapes import part
from kata.handouts.palette import BLUE, GREEN, INK, ORANGE

SLUG = "ex22_decoder_block"
S, E, H, F = 5, 8, 2, 16
GROWN = 4.0  # how large x is
HIGH, DEEP = 22.0, 44.0  # of a part; how far below the path the steps are
ASKED, OTHER = 46.0, 160.0  # the level of each path
LONG, SHORT = 310.0, 260.0  # of a step with its norm beside the path, and on it
LEFT = 46.0  # where the first step leaves the path
STEPS = (("norm1", "attention"), ("norm2", "feed_forward"))
PARTS = {
    "attention": (BLUE, 60.0), "feed_forward": (ORANGE, 66.0), "norm1": (GREEN, 42.0),
    "norm2": (GREEN, 42.0), "dropout": (None, 46.0), "+": (None, 18.0),
}  # the colour and the width of each  # fmt: skip


@torch.no_grad()
def figure() -> Figure:
    """The block of the exercise; below it, one with its norms on the path."""
    page, block, x = Drawing(), *example()
    paths = [_path(page, y, block, x, before=before)
             for y, before in ((ASKED, True), (OTHER, False))]  # fmt: skip
    page.text(4, ASKED - 30, label(SLUG, "asked"), ink=INK, anchor="start")
    page.text(4, OTHER - 30, label(SLUG, "other"), anchor="start")
    asked, other = (number(spread) for spread in paths)
    return finished(page, SLUG, start=number(_spread(x)), asked=asked, other=other)


def example() -> tuple[Any, Tensor]:
    """A block whose norms are new, and five tokens that have grown large."""
    block = right(SLUG).DecoderBlock(E, H, F, S).double().eval()
    filled(block.attention, 9, 0.6)
    filled(block.feed_forward, 5, 0.6)
    return block, GROWN * tensor(1, 1, S, E)


def _path(page: Drawing, y: float, block: Any, x: Tensor, *, before: bool) -> float:
    """Draw a path with both steps below it, and the spread along it; return that at its end."""
    page.text(8, y, "x", size=11, ink=INK)
    left = LEFT
    for names in STEPS:
        walk = _norm_first if before else _norm_last
        left, x = walk(page, left, y, block, names, x)
    _along(page, left - 32, left + 6, y, x)
    return _spread(x)


def _norm_first(
    page: Drawing, left: float, y: float, block: Any, names: tuple[str, str], x: Tensor
) -> tuple[float, Tensor]:
    """Draw a step with its norm in the branch; return where the next begins, and its input."""
    _along(page, left - 32, left + LONG - 78, y, x)
    _branch(page, left, y, [*names, "dropout"], LONG)
    norm, step = names
    return left + LONG - 28, x + _step_output(block, step, block.get_submodule(norm)(x))


def _norm_last(
    page: Drawing, left: float, y: float, block: Any, names: tuple[str, str], x: Tensor
) -> tuple[float, Tensor]:
    """Draw a step with its norm on the path, behind the sum; return the same."""
    norm, step = names
    _along(page, left - 32, left + SHORT - 78, y, x)
    _branch(page, left, y, [step, "dropout"], SHORT)
    x = x + _step_output(block, step, x)
    _along(page, left + SHORT - 60, left + SHORT - 34, y, x)
    _part(page, left + SHORT - 34, y, norm)
    return left + SHORT + 40, block.get_submodule(norm)(x)


def _branch(page: Drawing, left: float, y: float, names: list[str], long: float) -> None:
    """A branch below the path, with its parts in a row, and the sum that it ends in."""
    end, low = left + long - 69, y + DEEP
    widths = [PARTS[name][1] for name in names]
    gap = (end - left - sum(widths)) / (len(names) + 1)
    page.dot(left, y, ink=INK)
    x = left
    for at, name in enumerate(names):
        corner = ((left, y),) if at == 0 else ()
        page.arrow(*corner, (x, low), (x + gap - 1, low), ink=INK)
        _part(page, x + gap, low, name)
        x += gap + widths[at]
    page.arrow((x, low), (end, low), (end, y + HIGH / 2), ink=INK)
    _part(page, end - 9, y, "+")


def _part(page: Drawing, x: float, y: float, name: str) -> None:
    hue, width = PARTS[name]
    part(page, Box(x, y - HIGH / 2, width, HIGH), name, hue, size=8.5)


def _along(page: Drawing, start: float, end: float, y: float, x: Tensor) -> None:
    """An arrow on the path, and the spread of what goes along it."""
    page.arrow((start, y), (end - 1, y), ink=INK)
    page.text((start + end) / 2, y - 8, number(_spread(x)), size=8, mono=True)


def _step_output(block: Any, step: str, value: Tensor) -> Tensor:
    made: Tensor = block.get_submodule(step)(value)
    return made[0] if step == "attention" else made


def _spread(value: Tensor) -> float:
    return float(value.std(dim=-1, correction=0).mean())
