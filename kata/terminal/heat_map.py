"""A heat map as text: what was expected, and beside it what came back.

Cells are shades where numbers lie between 0 and 1, and numbers where the terminal has colours.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from textwrap import wrap

from kata.pictures.heatmaps import GOT, Cell, Map, captions, maps, part, short_number
from kata.terminal.style import NARROWEST, Style
from kata.verdict import Picture

MOST_ROWS, MOST_COLUMNS, LEAST_COLUMNS = 8, 12, 3
BETWEEN = "   "  # two maps
MARGIN = 4  # left of the maps in a message
# Grounds of 256 colours, from grey to strong and none much lighter than another: so they read alike
# on a light terminal and on a dark one, with black letters.
BLUE, ORANGE = (245, 103, 67, 69, 33), (138, 137, 173, 209, 202)
PLACES = (75, 215, 114, 176, 32, 172, 71, 133, 153, 223, 157, 219)  # blue, orange, green, violet
BLACK = 16
Lines = list[tuple[str, int]]  # with their widths, codes of colours aside


def heat_map(picture: Picture, style: Style) -> list[str]:
    """Return the map of what was expected beside that of what was got, or above it if narrow."""
    room = max(style.width, NARROWEST) - MARGIN
    pen = _pen(picture, style)
    fit = ((room - len(BETWEEN)) // 2 - pen.margin) // pen.width
    detail = part(picture, MOST_ROWS, min(MOST_COLUMNS, max(fit, LEAST_COLUMNS)))
    left, right = (_lines(side, pen) for side in maps(detail)[:2])
    below = [line for caption in captions(detail) for line in wrap(caption, room)]
    return [line.rstrip() for line in [*_side_by_side(left, right, room), *below]]


def _side_by_side(left: Lines, right: Lines, room: int) -> list[str]:
    left_width, right_width = (max(width for _, width in side) for side in (left, right))
    if left_width + len(BETWEEN) + right_width > room:
        return [line for line, _ in [*left, *right]]
    pairs = zip(left, right, strict=True)
    return [
        f"{line}{' ' * (left_width - width)}{BETWEEN}{other}" for (line, width), (other, _) in pairs
    ]


@dataclass(frozen=True)
class _Pen:
    """The way in which the cells of a picture are drawn.

    Attributes:
        style: of the terminal.
        top: the darkest value; the few shades are spread from zero to the largest expected one.
        digits: the length of the longest number; 0 if cells are shades.
        width: columns of a cell, with a space behind it.
        margin: columns for the indices of rows.
    """

    style: Style
    top: float
    digits: int
    width: int
    margin: int


def _pen(picture: Picture, style: Style) -> _Pen:
    values = [*chain(*picture.expected, *picture.got)]
    digits = max(len(tiny(value)) for value in values)
    finite = [value for value in values if math.isfinite(value)]
    shades = not style.grounds and all(0 <= value <= 1 for value in finite)
    index = len(str(picture.column + len(picture.got[0])))
    width = max(index, 3 if shades else digits + 2) + 1
    top = _top(chain(*picture.expected)) or _top(values)
    return _Pen(style, top, 0 if shades else digits, width, len(str(picture.row + MOST_ROWS)) + 1)


def _top(values: Iterable[float]) -> float:
    return max(filter(math.isfinite, values), default=0.0)


def _lines(side: Map, pen: _Pen) -> Lines:
    """Return the title, the indices of the columns, and each row with its index."""
    head = " " * pen.margin + "".join(f"{name:>{pen.width - 2}}  " for name in side.column_names)
    lines = [(side.title, len(side.title)), (pen.style.paint(head, "dim"), len(head))]
    for name, row in zip(side.row_names, side.rows, strict=True):
        index = pen.style.paint(f"{name:>{pen.margin - 1}} ", "dim")
        lines.append((index + "".join(_drawn(cell, side.kind, pen) for cell in row), len(head)))
    return lines


def _drawn(cell: Cell, kind: str, pen: _Pen) -> str:
    text = tiny(cell.value) if pen.digits else _shade(cell, pen)
    text = f"{_enclosed(cell, text):>{pen.width - 1}}"
    codes = _codes(cell, kind, pen.style)
    return f"\033[{';'.join(codes)}m{text}\033[0m " if codes else f"{text} "


def _enclosed(cell: Cell, text: str) -> str:
    if cell.worst:
        return f">{text}<"
    return f"[{text}]" if cell.wrong else f" {text} "


def _shade(cell: Cell, pen: _Pen) -> str:
    shades = pen.style.shades
    if cell.sign or not cell.value:
        return cell.sign or shades[0]
    return shades[min(4, 1 + int(3.999 * min(cell.value / pen.top, 1)))]


def _codes(cell: Cell, kind: str, style: Style) -> Sequence[str]:
    """Return the colours of a cell: ground and letters; a wrong cell without ground is red."""
    ground = _ground(cell, kind) if style.grounds else 0
    if not ground:
        return ["31"] if cell.wrong and style.colour else []
    return [*["1"] * cell.wrong, f"38;5;{BLACK}", f"48;5;{ground}"]


def _ground(cell: Cell, kind: str) -> int:
    """Return the colour behind a number: how large it is, or where it belongs; 0 for none."""
    if cell.hue >= 0:
        return PLACES[cell.place % len(PLACES)]
    ramp = ORANGE if kind == GOT and cell.wrong else BLUE
    return ramp[min(4, int(4.999 * cell.share))] if cell.share else 0


def tiny(value: float) -> str:
    """Return a number in at most five characters."""
    size = abs(value)
    if 0.005 <= size < 1000 and not value.is_integer():
        text = f"{value:.{2 if size < 10 else 1 if size < 100 else 0}f}"
        return text.replace("0.", ".", 1) if size < 0.995 else text
    return short_number(value, whole=10_000, least=0.005, most=1000).replace("+", "")
