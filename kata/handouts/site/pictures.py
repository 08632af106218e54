"""The pictures of the site: the curves of training, and the preview that goes with a link."""

import math
import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from kata.course.curriculum import exercises
from kata.palette import (
    AXIS,
    BLUE,
    BRIGHT_BLUE,
    BRIGHT_ORANGE,
    DARK,
    HUES,
    INK,
    MUTED,
    ORANGE,
    PAPER,
    WHITE,
)
from kata.pictures.heatmaps import Cell, map_pair
from kata.practice.loss import STEPS, VOCABULARY, Curve, Losses, losses
from kata.verdict import Picture

WIDTH, GAP, LEFT = 240, 16, 26
TOP, TALL, BAR = 64, 130, 10
HIGHEST = 2.5  # of the axis: guessing costs log 8 = 2.08
GUESSING = math.log(VOCABULARY)
STYLE = f"""\
text {{ font: 12px system-ui, sans-serif; fill: {INK} }}
.small {{ font-size: 11px; fill: {MUTED} }}
.head {{ font-weight: 600 }}
.axis {{ stroke: {AXIS}; fill: none }}
path {{ fill: none }}
.there {{ stroke: {ORANGE.dark} }} rect.there {{ fill: {ORANGE.dark}; stroke: none }}
.higher {{ stroke: {AXIS} }} rect.higher {{ fill: {AXIS}; stroke: none }}
rect.stopped {{ fill: none; stroke: {AXIS} }}
.right {{ stroke: {BLUE.dark}; stroke-width: 3; stroke-dasharray: 6 4 }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: {DARK["ink"]} }} .small {{ fill: {DARK["muted"]} }}
  .there {{ stroke: {BRIGHT_ORANGE} }} rect.there {{ fill: {BRIGHT_ORANGE} }}
  .right {{ stroke: {BRIGHT_BLUE} }}
}}"""
WIDTH_OF_PREVIEW, HEIGHT = 1200, 630
MARGIN, BETWEEN = 60, 60
LARGEST = 96  # of a cell, in pixels
SHADES = 16  # between the ground and the strongest blue
EDGE = 4
GROUND, SHEET, LINE, STRONGEST = PAPER, WHITE, INK, BLUE.dark


def picture() -> str:
    """Draw the curves and the shares of all exercises."""
    records = losses()
    width = len(records) * (WIDTH + GAP) - GAP + 1
    parts = [f'<g transform="translate({at * (WIDTH + GAP)} 0)">{_panel(slug, record)}</g>'
             for at, (slug, record) in enumerate(records.items())]  # fmt: skip
    height = TOP + TALL + 56
    says = escape("; ".join(sentences()), {'"': "&quot;"})
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    size = f'width="{width}" height="{height}" role="img" aria-label="{says}"'
    return "\n".join([f"{head} {size}>", f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def sentence(slug: str, record: Losses) -> str:
    """The panel of one exercise in words."""
    there, short = len(record.there), exercises()[slug].short
    return (
        f"{short}: of {record.trained} wrong answers trained, {there} end at the right one's loss,"
        f" {len(record.wrong) - there} end higher,"
        f" {len(record.stopped)} raise an error or end in NaN"
    )


def sentences() -> Iterator[str]:
    """The figure in words, exercise by exercise."""
    yield from (sentence(slug, record) for slug, record in losses().items())


def _panel(slug: str, record: Losses) -> str:
    """The curves of one exercise, and below them the shares."""
    exercise = exercises()[slug]
    there = record.there.values()
    higher = [curve for name, curve in record.wrong.items() if name not in record.there]
    count, share = len(record.there), round(100 * len(record.there) / record.trained)
    return "\n".join(
        [
            _text(0, 14, f"{exercise.short} {exercise.title.lower()}", "head"),
            _text(0, 32, f"{count} of {record.trained} wrong answers ({share} %)"),
            _text(0, 48, "end at the right one's loss"),
            _axes(),
            _curves(higher, "higher"),
            _curves(there, "there"),
            _curves([record.right[0]], "right"),
            _bar(record),
        ]
    )


def _axes() -> str:
    y, low = _y(GUESSING), TOP + TALL
    lines = f'<path class="axis" d="M{LEFT} {TOP}V{low}H{WIDTH}M{LEFT} {y}H{WIDTH}"/>'
    names = _text(0, y + 4, "2.08", "small") + _text(10, low + 4, "0", "small")
    names += _text(WIDTH - 54, y - 4, "guessing", "small")
    steps = _text(LEFT, low + 14, f"{STEPS} steps; dashed: the right one", "small")
    return lines + names + steps


def _curves(curves: Iterable[Curve], kind: str) -> str:
    """The curves as one path, in which curves that look the same are drawn once."""
    points = dict.fromkeys(map(_points, curves))
    return f'<path class="{kind}" d="{"".join(points)}"/>'


def _points(curve: Curve) -> str:
    step = (WIDTH - LEFT) / (len(curve) - 1)
    places = [f"{LEFT + step * at:.0f} {_y(loss)}" for at, loss in enumerate(curve)]
    return f"M{places[0]}L{' '.join(places[1:])}"


def _y(loss: float) -> int:
    return round(TOP + TALL * (1 - min(loss, HIGHEST) / HIGHEST))


def _bar(record: Losses) -> str:
    """A bar of the shares that end at the right loss, higher, or not at all."""
    there, stopped = len(record.there), len(record.stopped)
    counts = {"there": there, "higher": record.trained - there - stopped, "stopped": stopped}
    x, parts, y = 0.0, [], TOP + TALL + 24
    for kind, count in counts.items():
        wide = WIDTH * count / record.trained
        place = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{BAR}"'
        parts.append(f'<rect class="{kind}" {place}/>')
        x += wide
    words = "{there} there, {higher} higher, {stopped} an error or NaN".format(**counts)
    return "".join(parts) + _text(0, y + BAR + 14, words, "small")


def _text(x: float, y: float, words: str, kind: str = "") -> str:
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{look}>{escape(words)}</text>'


def png(picture: Picture) -> bytes:
    """Draw the expected map on the left, and the actual one on the right, with its wrong cells."""
    page = np.zeros((HEIGHT, WIDTH_OF_PREVIEW), np.uint8)
    room = (WIDTH_OF_PREVIEW - 2 * MARGIN - BETWEEN) // 2
    for at, heatmap in enumerate(map_pair(picture)):
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
        return 3 + SHADES + cell.hue
    return 3 + round(cell.share * (SHADES - 1)) if cell.share else 1


@cache
def _palette() -> bytes:
    low, high = _rgb(WHITE), _rgb(STRONGEST)
    shares = [0.1 + 0.9 * step / (SHADES - 1) for step in range(SHADES)]
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
    """A PNG whose rows are differences to the rows above them, which are mostly zero."""
    lines = np.zeros((HEIGHT, WIDTH_OF_PREVIEW + 1), np.uint8)
    lines[:, 0] = 2
    lines[0, 1:], lines[1:, 1:] = page[0], page[1:] - page[:-1]
    head = struct.pack(">IIBBBBB", WIDTH_OF_PREVIEW, HEIGHT, 8, 3, 0, 0, 0)
    packed = zlib.compress(lines.tobytes(), level=1)
    chunks = (b"IHDR", head), (b"PLTE", _palette()), (b"IDAT", packed), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))
