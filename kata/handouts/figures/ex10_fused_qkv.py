"""Exercise 10: one layer in place of three, and the two orders of its features."""

from dataclasses import replace

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import finished, label, right
from kata.handouts.figures.shapes import Cell, axis_x, grid, hued, labels_x, outlined, step
from kata.palette import HUES, INK

SLUG = "ex10_fused_qkv"
H, D = 3, 2
E = H * D
SIZE, SMALL = (20.5, 18.0), (12.9, 18.0)
LEFT, READ = 6.0, 424.0  # where the features begin, and where what was read of them
TOP, APART = 24.0, 60.0
NAMES = "qkv"
LAYOUTS = ("blocks", "per_head")


def figure() -> Figure:
    """Both layouts, read by their own functions, and one of them read by the other's."""
    page = Drawing()
    for at, (written, read) in enumerate((LAYOUTS[:1] * 2, LAYOUTS[1:] * 2, LAYOUTS[::-1])):
        y = TOP + at * APART
        box = _features(page, y, written)
        end = step(page, box.right + 7, box.centre, READ - box.right - 14)
        words = f"split_qkv_{read}"
        page.text(end, box.bottom + 8, words, size=8, ink=INK, anchor="start", mono=True)
        _read(page, y, written, read)
    return finished(page, SLUG)


def order(layout: str) -> list[tuple[int, int]]:
    """The owners of all features: 0 to 2 for query, key and value, and the head."""
    if layout == "blocks":
        return [(part, head) for part in range(3) for head in range(H) for _ in range(D)]
    return [(part, head) for head in range(H) for part in range(3) for _ in range(D)]


def read_by(layout: str) -> tuple[Tensor, ...]:
    """The numbers of the features that a layout's function takes for queries, keys and values."""
    numbers = torch.arange(3 * E).view(1, 1, 3 * E)
    parts: tuple[Tensor, ...] = getattr(right(SLUG), f"split_qkv_{layout}")(numbers, H)
    return parts


def _features(page: Drawing, y: float, layout: str) -> Box:
    """Draw 3E features in a row, with their letters and heads, and their numbers below."""
    row = [hued(f"{NAMES[part]}{head}", part) for part, head in order(layout)]
    box = grid(page, LEFT, y, [row], SIZE)
    labels_x(page, LEFT, y + SIZE[1] + 6, [str(n) for n in range(3 * E)], SIZE[0])
    wide = E * SIZE[0]
    for block in range(3):
        words = label(SLUG, layout, letter=NAMES[block], head=block)
        ink = HUES[block].dark if layout == "blocks" else INK
        axis_x(page, LEFT + block * wide, y - 4, wide, words, ink, size=8.5)
    return box


def _read(page: Drawing, y: float, written: str, read: str) -> None:
    """Queries, keys and values as they come out, head after head; wrong numbers have an edge."""
    x = READ
    for wanted, values in enumerate(read_by(read)):
        row = [
            _number(int(n), (wanted, at // D), order(written))
            for at, n in enumerate(values.flatten())
        ]
        box = grid(page, x, y, [row], SMALL)
        axis_x(page, x, y - 4, box.width, NAMES[wanted], HUES[wanted].dark, size=8.5)
        x = box.right + 9


def _number(feature: int, wanted: tuple[int, int], owners: list[tuple[int, int]]) -> Cell:
    cell = replace(hued(feature, owners[feature][0]), rules=0)
    return cell if owners[feature] == wanted else outlined(cell)
