"""Curves on two axes, for values over many sizes or many steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kata.handouts.drawing import Box, Drawing
from kata.handouts.palette import HAIR, INK, MUTED

DASHES = ("", "5 2", "1.5 2")  # curves differ without colour, too


@dataclass(frozen=True)
class Axis:
    """The scale along one side, and the words at some of its places."""

    least: float
    most: float
    ticks: Sequence[tuple[float, str]]
    words: str = ""

    def share(self, value: float) -> float:
        """The place of a value, from 0 to 1."""
        return (value - self.least) / (self.most - self.least)


def frame(page: Drawing, box: Box, across: Axis, up: Axis) -> None:
    """Draw the two axes, with hair lines at the heights that are written."""
    for value, words in up.ticks:
        y = box.bottom - up.share(value) * box.height
        page.line((box.x, y), (box.right, y), ink=HAIR, thick=0.6)
        page.text(box.x - 4, y, words, size=8, anchor="end")
    for value, words in across.ticks:
        x = box.x + across.share(value) * box.width
        page.line((x, box.bottom), (x, box.bottom + 3))
        page.text(x, box.bottom + 10, words, size=8)
    page.line((box.x, box.y), (box.x, box.bottom), (box.right, box.bottom), ink=MUTED)
    page.text(box.middle, box.bottom + 21, across.words)
    page.text(box.x, box.y - 9, up.words, anchor="start", ink=INK)


def curve(
    page: Drawing, box: Box, across: Axis, up: Axis, heights: Sequence[float], **look: Any
) -> tuple[float, float]:
    """Draw a line through one height for each whole number of the axis below; return its end."""
    points = [
        (box.x + across.share(x) * box.width, box.bottom - up.share(y) * box.height)
        for x, y in enumerate(heights)
    ]
    page.line(*points, **look)
    return points[-1]
