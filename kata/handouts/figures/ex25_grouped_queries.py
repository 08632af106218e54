"""Exercise 25: the heads of keys that heads of queries share, and the size of a cache."""

from typing import Any

import torch

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import finished, label, right, wrong
from kata.handouts.figures.shapes import cells, grid, hued
from kata.palette import HAIR, HUES, INK

SLUG, TRAP = "ex25_grouped_queries", "tiled"
H = 4
GROUPS = 4, 2, 1
LAYERS, D, TOKENS = 32, 128, 4096
SIZE = 23.0, 18.0
TOP, LOW = 48.0, 108.0
WIDE = H * SIZE[0] + 26


def figure() -> Figure:
    """Three numbers of groups, and copies in the wrong order."""
    page = Drawing()
    for at, groups in enumerate(GROUPS):
        _shared(page, 52 + at * WIDE, groups, right(SLUG), label(SLUG, f"groups-{groups}"))
        _size(page, 52 + at * WIDE, groups)
    edge = 52 + len(GROUPS) * WIDE - 13
    page.line((edge, 8), (edge, LOW + 52), ink=HAIR)
    _shared(page, edge + 13, 2, wrong(SLUG, TRAP), label(SLUG, "trap"))
    page.text(46, TOP + 9, label(SLUG, "queries"), size=8, anchor="end")
    page.text(46, LOW + 9, label(SLUG, "keys"), size=8, anchor="end")
    page.text(46, LOW + 36, label(SLUG, "cache"), size=8, anchor="end")
    return finished(page, SLUG, heads=H, layers=LAYERS, width=D, tokens=f"{TOKENS:,}")


def owners(answer: Any, groups: int) -> list[int]:
    """The heads of keys that the heads of queries meet."""
    heads = torch.arange(groups).view(1, groups, 1, 1)
    keys: list[int] = answer.repeat_heads(heads, H // groups).flatten().tolist()
    return keys


def _shared(page: Drawing, x: float, groups: int, answer: Any, title: str) -> None:
    """Draw heads of queries in the colours of the heads of keys below that they use."""
    used = owners(answer, groups)
    table = cells([list(range(H))], lambda head: hued(f"q{head}", used[head]))
    box = grid(page, x, TOP, table, SIZE)
    page.text(box.middle, 14, title, ink=INK)
    page.text(box.middle, 30, f"G = {groups}", size=8.5, mono=True)
    wide = box.width / groups
    for head in range(groups):
        middle = x + wide * (head + 0.5)
        grid(page, middle - SIZE[0] / 2, LOW, [[hued(f"k{head}", head)]], SIZE)
    for head, group in enumerate(used):
        start, end = x + SIZE[0] * (head + 0.5), x + wide * (group + 0.5)
        page.line((start, box.bottom + 2), (end, LOW - 2), ink=HUES[group].dark)


def _size(page: Drawing, x: float, groups: int) -> None:
    """Draw the size of a cache as a part of that of multi-head attention."""
    answer = right(SLUG)
    count, most = (answer.cache_size(LAYERS, heads, D, TOKENS) for heads in (groups, H))
    full = H * SIZE[0]
    page.rect(Box(x, LOW + 32, full, 8), edge=HAIR)
    page.rect(Box(x, LOW + 32, full * count / most, 8), fill=HUES[0].dark)
    page.text(x + full / 2, LOW + 50, f"{count:,}", size=8.5, mono=True)
