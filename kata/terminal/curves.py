"""Lists of numbers as curves over their positions, in one chart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from kata.judging.describe import number

WIDTH, HEIGHT, LEFT, TOP = 460, 200, 64, 10
COLOURS = ("#4a90d9", "#d9822b", "#2f9e83", "#8f73c9")
DASHES = ("", "6 3", "2 3", "8 3 2 3")  # told apart without colours, too
FONT = "font-size:11px;fill:currentColor"


@dataclass(frozen=True)
class Curve:
    """A title, and a value for each position."""

    title: str
    values: tuple[float, ...]

    @property
    def finite(self) -> list[float]:
        """The values that can be drawn."""
        return [value for value in self.values if math.isfinite(value)]


def chart(curves: Sequence[Curve]) -> str:
    """All curves over one axis, and a line of the legend for each."""
    values = [value for curve in curves for value in curve.finite] or [0.0]
    low, high = min(values), max(values)
    lines = "".join(_line(at, curve, low, high) for at, curve in enumerate(curves))
    legend = "".join(_legend(at, curve) for at, curve in enumerate(curves))
    says = escape("; ".join(map(in_words, curves)))
    frame = f'x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT}" height="{HEIGHT - 2 * TOP}"'
    box = f'<rect {frame} fill="none" stroke="#888" stroke-opacity="0.5"/>'
    ends = _tick(TOP + 8, high) + _tick(HEIGHT - TOP, low)
    head = f'<svg width="{WIDTH + 4}" height="{HEIGHT}" role="img" aria-label="{says}">'
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
    colour, dash = COLOURS[at % len(COLOURS)], DASHES[at % len(DASHES)]
    return f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'


def _legend(at: int, curve: Curve) -> str:
    mark = f'<svg width="28" height="10" aria-hidden="true"><path d="M0 5H24" {_look(at)}/></svg>'
    return f"<div>{mark} {escape(curve.title)}</div>" if curve.title else ""


def _tick(y: int, value: float) -> str:
    return f'<text x="{LEFT - 6}" y="{y}" text-anchor="end" style="{FONT}">{value:.3g}</text>'


def in_words(curve: Curve) -> str:
    """Where the curve begins, how far it reaches, and where it ends."""
    finite = curve.finite
    if not finite:
        return f"{curve.title}: no finite value"
    first, last, low, high = map(number, (finite[0], finite[-1], min(finite), max(finite)))
    count = len(curve.values)
    text = f"{count} values, from {first} to {last}, between {low} and {high}"
    return f"{curve.title}: {text}" if curve.title else text
