"""The picture that goes with a link to a page: its two maps as a PNG, without letters.

A PNG of few colours is easier to write than to find a library for that everybody has.
"""

import struct
import zlib
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from kata.handouts.palette import HUES, INK, PAPER, WHITE
from kata.terminal.heatmaps import Cell, maps
from kata.verdict import Picture

WIDTH, HEIGHT = 1200, 630
MARGIN, BETWEEN = 60, 60
LARGEST = 96  # of a cell, in pixels
STEPS = 16  # between the ground and the strongest blue
EDGE = 4
GROUND, SHEET, LINE, STRONGEST = PAPER, WHITE, INK, HUES[0].dark


def png(picture: Picture) -> bytes:
    """Draw the expected map on the left, and the actual one on the right, with its wrong cells."""
    page = np.zeros((HEIGHT, WIDTH), np.uint8)
    room = (WIDTH - 2 * MARGIN - BETWEEN) // 2
    for at, heatmap in enumerate(maps(picture)[:2]):
        rows, columns = len(heatmap.rows), len(heatmap.rows[0])
        size = min(LARGEST, room // columns, (HEIGHT - 2 * MARGIN) // rows)
        left = MARGIN + at * (room + BETWEEN) + (room - size * columns) // 2
        top = (HEIGHT - size * rows) // 2
        for y, row in enumerate(heatmap.rows):
            for x, cell in enumerate(row):
                _draw(page, cell, left + x * size, top + y * size, size - 2)
    return _file(page)


def _draw(page: Any, cell: Cell, x: int, y: int, size: int) -> None:
    if cell.wrong:
        page[y : y + size, x : x + size] = 2
        x, y, size = x + EDGE, y + EDGE, size - 2 * EDGE
    page[y : y + size, x : x + size] = _colour(cell)


def _colour(cell: Cell) -> int:
    """The place of its colour in the palette."""
    if cell.hue >= 0:
        return 3 + STEPS + cell.hue
    return 3 + round(cell.share * (STEPS - 1)) if cell.share else 1


@cache
def _palette() -> bytes:
    low, high = _rgb(WHITE), _rgb(STRONGEST)
    shares = [0.1 + 0.9 * step / (STEPS - 1) for step in range(STEPS)]
    blues = [
        [round(a + share * (b - a)) for a, b in zip(low, high, strict=True)] for share in shares
    ]
    places = [_rgb(_between(hue.light, hue.dark)) for hue in HUES]
    return bytes(chain(*map(_rgb, (GROUND, SHEET, LINE)), *blues, *places))


def _between(light: str, dark: str) -> str:
    mixed = [round(0.6 * a + 0.4 * b) for a, b in zip(_rgb(light), _rgb(dark), strict=True)]
    return "#" + "".join(f"{number:02x}" for number in mixed)


def _rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _file(page: Any) -> bytes:
    """A PNG, with each row as its difference to the one above, which is mostly nothing."""
    lines = np.zeros((HEIGHT, WIDTH + 1), np.uint8)
    lines[:, 0] = 2
    lines[0, 1:], lines[1:, 1:] = page[0], page[1:] - page[:-1]
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    packed = zlib.compress(lines.tobytes(), level=1)
    chunks = (b"IHDR", head), (b"PLTE", _palette()), (b"IDAT", packed), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))
