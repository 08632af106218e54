"""Exercise 22: two steps beside a path, and the places of their norms."""

from typing import Any

from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import filled, finished, label, right, spread, tensor
from kata.handouts.figures.shapes import part
from kata.palette import BLUE, GREEN, INK, ORANGE

SLUG = "ex22_decoder_block"
S, E, H, F = 5, 8, 2, 16
GROWN = 4.0  # the size of x
HIGH, DEEP = 22.0, 44.0  # the height of a part; the way from the path down to a step
ASKED, OTHER = 46.0, 160.0  # the levels of the paths
LONG, SHORT = 310.0, 260.0  # of a step with its norm beside the path, and on it
LEFT = 46.0  # where the first step leaves the path
STEPS = (("norm1", "attention"), ("norm2", "feed_forward"))
PARTS = {
    "attention": (BLUE, 60.0), "feed_forward": (ORANGE, 66.0), "norm1": (GREEN, 42.0),
    "norm2": (GREEN, 42.0), "dropout": (None, 46.0), "+": (None, 18.0),
}  # colours and widths  # fmt: skip


def figure() -> Figure:
    """The block of the exercise; below it, one with its norms on the path."""
    page, block, x = Drawing(), *example()
    paths = [_path(page, y, block, x, before=before)
             for y, before in ((ASKED, True), (OTHER, False))]  # fmt: skip
    page.text(4, ASKED - 30, label(SLUG, "asked"), ink=INK, anchor="start")
    page.text(4, OTHER - 30, label(SLUG, "other"), anchor="start")
    asked, other = map(number, paths)
    return finished(page, SLUG, start=number(spread(x)), asked=asked, other=other)


def example() -> tuple[Any, Tensor]:
    """A block with new norms, and five tokens that have grown large."""
    block = right(SLUG).DecoderBlock(E, H, F, S).double().eval()
    filled(block.attention, 9, 0.6)
    filled(block.feed_forward, 5, 0.6)
    return block, GROWN * tensor(1, 1, S, E)


def _path(page: Drawing, y: float, block: Any, x: Tensor, *, before: bool) -> float:
    """Draw a path with both steps below it, and the spread along it; return the last spread."""
    page.text(8, y, "x", size=11, ink=INK)
    left = LEFT
    for names in STEPS:
        walk = _norm_first if before else _norm_last
        left, x = walk(page, left, y, block, names, x)
    _along(page, left - 32, left + 6, y, x)
    return spread(x)


def _norm_first(
    page: Drawing, left: float, y: float, block: Any, names: tuple[str, str], x: Tensor
) -> tuple[float, Tensor]:
    """Draw a step with its norm in the branch; return the start and the input of the next step."""
    _along(page, left - 32, left + LONG - 78, y, x)
    _branch(page, left, y, [*names, "dropout"], LONG)
    norm, step = names
    return left + LONG - 28, x + _step_output(block, step, block.get_submodule(norm)(x))


def _norm_last(
    page: Drawing, left: float, y: float, block: Any, names: tuple[str, str], x: Tensor
) -> tuple[float, Tensor]:
    """Draw a step with its norm on the path, behind the sum; return the same as above."""
    norm, step = names
    _along(page, left - 32, left + SHORT - 78, y, x)
    _branch(page, left, y, [step, "dropout"], SHORT)
    x = x + _step_output(block, step, x)
    _along(page, left + SHORT - 60, left + SHORT - 34, y, x)
    _part(page, left + SHORT - 34, y, norm)
    return left + SHORT + 40, block.get_submodule(norm)(x)


def _branch(page: Drawing, left: float, y: float, names: list[str], long: float) -> None:
    """Draw a branch below the path, with its parts in a row, and the sum at its end."""
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
    """Draw an arrow on the path, with the spread of x."""
    page.arrow((start, y), (end - 1, y), ink=INK)
    page.text((start + end) / 2, y - 8, number(spread(x)), size=8, mono=True)


def _step_output(block: Any, step: str, value: Tensor) -> Tensor:
    output: Tensor = block.get_submodule(step)(value)
    return output[0] if step == "attention" else output
