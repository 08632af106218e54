"""Exercise 07: one tensor, three readings, and the reading that mixes tokens up."""

from typing import Any

import torch

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import finished, label, right, wrong
from kata.handouts.figures.shapes import (
    BEHIND,
    PAD,
    Cell,
    axis_x,
    axis_y,
    cells,
    grid,
    hued,
    sheet,
    step,
)
from kata.palette import HAIR, HUES, INK

SLUG, TRAP = "ex07_heads", "split-view-without-transpose"
B, S, H, D = 2, 4, 3, 2
E = H * D
SIZE = 18.0, 18.0
GAP = 7.0
TOP = 30.0
LOW = TOP + S * SIZE[1]


def figure() -> Figure:
    """Split heads of numbered features, step by step."""
    x = torch.arange(B * S * E).view(B, S, E)
    blocks = x.view(B, S, H, D)
    split, trap = (answer.split_heads(x, H) for answer in (right(SLUG), wrong(SLUG, TRAP)))
    page = Drawing()
    end = _whole(page, 18, x)
    end = _blocks(page, step(page, end + 10, TOP + 36, 32, "view") + 8, blocks)
    end = _heads(page, step(page, end + 7, TOP + 36, 52, "transpose") + 9, split)
    page.line((end + 13, 8), (end + 13, LOW + 42), ink=HAIR)
    _heads(page, end + 25, trap, label(SLUG, "trap"))
    return finished(page, SLUG)


def _whole(page: Drawing, x: float, values: Any) -> float:
    inside = Box(x, TOP, E * SIZE[0], S * SIZE[1])
    sheet(page, inside, behind=B - 1)
    grid(page, x, TOP, cells(values[0], _number), SIZE)
    axis_x(page, x, TOP - 12, inside.width, f"E = {E} = H · D")
    axis_y(page, x - 11, TOP, inside.height, f"S = {S}")
    _memory_layout(page, inside.middle, values, "(B, S, E)")
    return inside.right + PAD + BEHIND


def _blocks(page: Drawing, x: float, values: Any) -> float:
    wide = D * SIZE[0] + GAP
    inside = Box(x, TOP, H * wide - GAP, S * SIZE[1])
    sheet(page, inside, behind=B - 1)
    for head in range(H):
        grid(page, x + head * wide, TOP, cells(values[0, :, head], _number), SIZE)
        _name(page, x + head * wide, head, HUES[head].dark)
    _memory_layout(page, inside.middle, values, "(B, S, H, D)")
    return inside.right + PAD + BEHIND


def _heads(page: Drawing, x: float, values: Any, title: str = "") -> float:
    wide = D * SIZE[0] + GAP + 2
    for head in range(H):
        edge = HAIR if title else HUES[head].dark
        inside = Box(x + head * wide, TOP, D * SIZE[0], S * SIZE[1])
        sheet(page, inside, behind=0 if title else B - 1, edge=edge)
        grid(page, inside.x, TOP, cells(values[0, head], _number), SIZE)
        _name(page, inside.x, head, INK if title else HUES[head].dark)
    middle = x + (H * wide - GAP - 2) / 2
    _memory_layout(page, middle, values, "(B, H, S, D)", title)
    return x + H * wide - GAP + PAD


def _number(value: int) -> Cell:
    """A feature in the colour of its head before anything is moved."""
    return hued(value, value % E // D)


def _name(page: Drawing, x: float, head: int, ink: str) -> None:
    axis_x(page, x, TOP - 12, D * SIZE[0], f"head {head}", ink, size=8.5)


def _memory_layout(page: Drawing, x: float, values: Any, letters: str, title: str = "") -> None:
    shape, strides = (tuple(numbers) for numbers in (values.shape, values.stride()))
    page.text(x, LOW + 14, letters, ink=INK)
    page.text(x, LOW + 27, str(shape), size=8.5, ink=INK, mono=True)
    page.text(x, LOW + 39, title or f"strides {strides}", size=8.5)
