"""Pictures of a learner's own results in a notebook: heat maps and curves, without a library.

`draw` takes numbers, several of them by title, or a function that yields titles and numbers. The
pairs that the function has yielded are drawn, even if an exercise that it needs is not written yet.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from kata.judging.values import number
from kata.palette import CURVES
from kata.pictures.heatmaps import FLOW, largest, short_number
from kata.text import clean, cut

MOST_MAPS, MOST_ROWS, MOST_POINTS = 16, 64, 10_000
LONGEST_ERROR = 200  # characters
CELL = 38  # pixels
SMALL = 16  # pixels of a cell in a large map, which has no numbers in it
MOST_COLUMNS = 12  # of a map with numbers
# Of numbers from zero, and of those below zero.
BLUE, ORANGE, *_ = CURVES
UNKNOWN = "#999999"  # NaN and infinity
FONT = "font-family:ui-monospace,monospace;font-size:11px;fill:currentColor"
SHADES = "·░▒▓█"
WIDTH, HEIGHT, LEFT, TOP = 460, 200, 64, 10
DASHES = ("", "6 3", "2 3", "8 3 2 3")  # for readers who cannot tell the colours apart
FONT_OF_CURVES = "font-size:11px;fill:currentColor"


@dataclass(frozen=True)
class Grid:
    """A title, and the rows of numbers below it."""

    title: str
    rows: tuple[tuple[float, ...], ...]

    @cached_property
    def most(self) -> float:
        """The largest distance from zero, or 1 if there is no number but zero."""
        return largest(self.rows) or 1.0


@dataclass(frozen=True)
class Curve:
    """A title, and a value for each position."""

    title: str
    values: tuple[float, ...]

    @property
    def finite(self) -> list[float]:
        """The values that can be drawn."""
        return [value for value in self.values if math.isfinite(value)]


@dataclass(frozen=True)
class Drawing:
    """Maps and curves, as HTML without scripts for a notebook, and as plain text elsewhere."""

    grids: tuple[Grid, ...] = ()
    curves: tuple[Curve, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        charts = [_chart(self.curves)] if self.curves else []
        notes = [f"<div>{escape(note)}</div>" for note in self.notes]
        return f'<div style="{FLOW}">{"".join([*map(_map, self.grids), *charts, *notes])}</div>'

    def __repr__(self) -> str:
        parts = (*map(_as_text, self.grids), *map(_in_words, self.curves), *self.notes)
        return "\n\n".join(parts)


def draw(what: Any) -> Drawing:
    """Draw numbers: one dimension as a curve, two as a heat map, and more as several maps.

    Args:
        what: an array, a tensor or a list; a dictionary of them by title; or a function that
            yields pairs of a title and one of them.
    """
    pairs, notes = _pairs(what)
    grids: list[Grid] = []
    curves: list[Curve] = []
    for title, numbers in pairs:
        _sort_in(clean(title), numbers, grids, curves, notes)
    return Drawing(tuple(grids[:MOST_MAPS]), tuple(curves[:MOST_MAPS]), tuple(map(clean, notes)))


def _pairs(what: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """The titles with their numbers, and a note if a function raised an error after these."""
    if isinstance(what, Mapping):
        return [(str(title), numbers) for title, numbers in what.items()], []
    return _yielded(what) if callable(what) else ([("", what)], [])


def _yielded(
    picture: Callable[[], Iterable[tuple[str, Any]]],
) -> tuple[list[tuple[str, Any]], list[str]]:
    pairs: list[tuple[str, Any]] = []
    try:
        pairs.extend(picture())
    except Exception as error:
        return pairs, [_error_text(error)]
    return pairs, []


def _error_text(error: Exception) -> str:
    text = cut(str(error), LONGEST_ERROR, "…")
    if isinstance(error, NotImplementedError):
        return text
    return f"not drawn: {type(error).__name__}: {text}"


def _sort_in(
    title: str, result: Any, grids: list[Grid], curves: list[Curve], notes: list[str]
) -> None:
    """Add a result to the maps or to the curves, or note why it is neither."""
    values = _listed(result)
    depth = len(_shape(values) or ())
    if not depth:
        kind = type(result).__name__
        notes.append(f"not drawn: {title or kind} is not a table or a list of numbers, but {kind}")
    elif depth == 1:
        curves.append(Curve(title, tuple(map(float, values[:MOST_POINTS]))))
    else:
        for name, rows in _flat(title, values, depth):
            grids.append(Grid(name, _rows(rows)))


def _listed(values: Any) -> Any:
    """The values as nested lists, if they are an array of any library."""
    try:
        return values.tolist() if hasattr(values, "tolist") else values
    except (TypeError, ValueError, RuntimeError):
        return None


def _shape(values: Any) -> tuple[int, ...] | None:
    """The sizes of nested lists of real numbers; None if the lists are not regular."""
    if isinstance(values, int | float):
        return ()
    if not isinstance(values, list | tuple) or not values:
        return None
    shapes = {_shape(value) for value in values}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(values), *inner)


def _flat(title: str, values: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """The maps of an array of more dimensions, with their indices in their titles."""
    if depth == 2:
        yield title, values
        return
    for index, part in enumerate(values[:MOST_MAPS]):
        yield from _flat(f"{title} [{index}]".strip(), part, depth - 1)


def _rows(rows: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row[:MOST_ROWS])) for row in rows[:MOST_ROWS])


def _map(grid: Grid) -> str:
    """A heat map with its title; a mouse and a screen reader get the number of every cell."""
    columns = max(map(len, grid.rows))
    size = CELL if columns <= MOST_COLUMNS else SMALL
    width, height = columns * size + 2, len(grid.rows) * size + 2
    title = escape(grid.title)
    caption = f'<div style="max-width:{max(width, 150)}px;margin-bottom:4px">{title}</div>'
    label = escape(f"{grid.title}: {len(grid.rows)} rows, {columns} columns")
    head = f'<svg width="{width}" height="{height}" role="img" aria-label="{label}">'
    cells = (
        _cell(value, grid.most, (1 + x * size, 1 + y * size), size)
        for y, row in enumerate(grid.rows)
        for x, value in enumerate(row)
    )
    return f"<div>{caption}{head}{''.join(cells)}</svg></div>"


def _cell(value: float, most: float, place: tuple[int, int], size: int) -> str:
    x, y = place
    colour = UNKNOWN if not math.isfinite(value) else BLUE if value >= 0 else ORANGE
    share = abs(value) / most if math.isfinite(value) else 1.0
    look = f'fill="{colour}" fill-opacity="{share:.2f}" stroke="#888" stroke-opacity="0.5"'
    box = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" {look}>'
    text = f"{box}<title>{number(value)}</title></rect>"
    if size == SMALL:
        return text
    middle = f'x="{x + size // 2}" y="{y + size // 2 + 4}" text-anchor="middle"'
    return f'{text}<text {middle} style="{FONT}">{short(value)}</text>'


def short(value: float) -> str:
    """A number in a few characters."""
    return short_number(value, whole=10_000, least=0, most=100).replace("inf", "∞")


def _as_text(grid: Grid) -> str:
    """The map with a shade for each number, as on a board."""
    lines = [" ".join(_shade(value, grid.most) for value in row) for row in grid.rows]
    return "\n".join([grid.title, *lines] if grid.title else lines)


def _shade(value: float, most: float) -> str:
    if not math.isfinite(value):
        return "?"
    share = abs(value) / most
    return SHADES[0] if share == 0 else SHADES[min(4, 1 + int(share * 4))]


def _chart(curves: Sequence[Curve]) -> str:
    """All curves over one axis, below their legend."""
    values = [value for curve in curves for value in curve.finite] or [0.0]
    low, high = min(values), max(values)
    lines = "".join(_line(at, curve, low, high) for at, curve in enumerate(curves))
    legend = "".join(_legend(at, curve) for at, curve in enumerate(curves))
    label = escape("; ".join(map(_in_words, curves)))
    frame = f'x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT}" height="{HEIGHT - 2 * TOP}"'
    box = f'<rect {frame} fill="none" stroke="#888" stroke-opacity="0.5"/>'
    ends = _tick(TOP + 8, high) + _tick(HEIGHT - TOP, low)
    head = f'<svg width="{WIDTH + 4}" height="{HEIGHT}" role="img" aria-label="{label}">'
    return f"<div>{legend}{head}{box}{ends}{lines}</svg></div>"


def _line(at: int, curve: Curve, low: float, high: float) -> str:
    """One curve; a value that is not finite leaves a gap."""
    wide, tall = WIDTH - LEFT, HEIGHT - 2 * TOP
    last, spread = max(len(curve.values) - 1, 1), (high - low) or 1.0
    parts: list[list[str]] = [[]]
    for x, value in enumerate(curve.values):
        if math.isfinite(value):
            y = TOP + tall * (high - value) / spread
            parts[-1].append(f"{LEFT + wide * x / last:.1f},{y:.1f}")
        else:
            parts.append([])
    return "".join(f'<polyline points="{" ".join(part)}" {_look(at)}/>' for part in parts if part)


def _look(at: int) -> str:
    colour, dash = CURVES[at % len(CURVES)], DASHES[at % len(DASHES)]
    return f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'


def _legend(at: int, curve: Curve) -> str:
    mark = f'<svg width="28" height="10" aria-hidden="true"><path d="M0 5H24" {_look(at)}/></svg>'
    return f"<div>{mark} {escape(curve.title)}</div>" if curve.title else ""


def _tick(y: int, value: float) -> str:
    style = f'text-anchor="end" style="{FONT_OF_CURVES}"'
    return f'<text x="{LEFT - 6}" y="{y}" {style}>{value:.3g}</text>'


def _in_words(curve: Curve) -> str:
    """The curve as a sentence: its ends, and how far it reaches."""
    finite = curve.finite
    if not finite:
        return f"{curve.title}: no finite value"
    first, last, low, high = map(number, (finite[0], finite[-1], min(finite), max(finite)))
    count = len(curve.values)
    text = f"{count} values, from {first} to {last}, between {low} and {high}"
    return f"{curve.title}: {text}" if curve.title else text
