"""A small SVG canvas that knows the width of its texts and grows as it is drawn on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from kata.palette import INK, MUTED, WHITE

WIDTH = 680
MARGIN = 4  # between the content and the edge of the page
SERIF = "Libertinus Serif, Georgia, serif"
MONO = "DejaVu Sans Mono, monospace"
SIZE = 9.0  # of a text, by default
ARROW = 0.9  # the thickness of its line
MONO_WIDTH = 0.605  # of a character, as a share of the size
# Libertinus, in which everything on paper is set, is narrower than the widest font of `SERIF`.
LIBERTINUS = 0.85
NARROW, WIDE = frozenset("iljtrfI.,:;!'’|()[]{}/\\-·ᵀ² "), frozenset("mwMW%@—…∞→")


@dataclass(frozen=True)
class Box:
    """The place of something on a page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return self.x + self.width / 2

    @property
    def centre(self) -> float:
        """The y of its centre."""
        return self.y + self.height / 2


@dataclass(frozen=True)
class Element:
    """One shape or one line of text.

    Attributes:
        tag: `text`, `rect`, `polyline` or `circle`.
        attributes: its place and its look, by the names that they have in SVG.
        box: the room that it takes on paper.
        words: of a text.
    """

    tag: str
    attributes: Mapping[str, str]
    box: Box
    words: str = ""

    @property
    def svg(self) -> str:
        """The element as SVG."""
        look = "".join(f' {name}="{value}"' for name, value in self.attributes.items())
        return f"<{self.tag}{look}{self.end}"

    @property
    def end(self) -> str:
        """The rest of the SVG behind the attributes."""
        return f">{escape(self.words)}</{self.tag}>" if self.words else "/>"


@dataclass(frozen=True)
class Figure:
    """One drawing with its texts.

    Attributes:
        title: a few words.
        alt: the description for readers who cannot see it.
        caption: the sentence below it.
        width: of the drawing.
        height: of the drawing.
        elements: in the order in which they cover one another.
    """

    title: str
    alt: str
    caption: str
    width: float
    height: float
    elements: tuple[Element, ...]

    @property
    def svg(self) -> str:
        """The drawing as a whole document."""
        head, label = svg_head(self.width, self.height), quoteattr(self.alt)
        lines = (element.svg for element in self.elements)
        return "\n".join([f'{head} role="img" aria-label={label}>', *lines, "</svg>", ""])


def svg_head(width: float, height: float, left: float = 0) -> str:
    """The tag that begins a document, open for more attributes; `left` is cut off the drawing."""
    box = f'viewBox="{left:g} 0 {width:g} {height:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} width="{width:g}" height="{height:g}"'


def text_width(words: str, size: float = SIZE, mono: bool = False) -> float:
    """The greatest width of a text: in Libertinus, and in Georgia, which is wider."""
    if mono:
        return len(words) * size * MONO_WIDTH
    return size * sum(map(_share, words))


def _share(letter: str) -> float:
    if letter in NARROW:
        return 0.42
    if letter in WIDE:
        return 1.13
    return 0.8 if letter.isupper() else 0.6


def number(value: float, digits: int = 2) -> str:
    """A number with this many digits after the point, and a real minus."""
    return fixed(value, digits).replace("-", "−")


def fixed(value: float, digits: int) -> str:
    """A number with this many digits after the point, and no minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


class Drawing:
    """A page drawn from the top left; its height grows with its content.

    In a text, `y` is the middle of the line, so that texts and boxes meet without sums.
    """

    def __init__(self, width: float = WIDTH) -> None:
        self.width = width
        self.height = 0.0
        self._elements: list[Element] = []

    def figure(self, title: str, alt: str, caption: str) -> Figure:
        """The finished drawing with its texts."""
        width, height = _rounded(self.width), _rounded(self.height + MARGIN)
        return Figure(title, alt, caption, width, height, tuple(self._elements))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = SIZE,
        ink: str = MUTED,
        anchor: str = "middle",
        mono: bool = False,
        turned: bool = False,
    ) -> None:
        """Write one line of text; turned, it reads from the bottom to the top."""
        left, baseline = _rounded(x), _rounded(y + size * 0.34)
        self._add(
            "text",
            y + (text_width(words, size, mono) / 2 if turned else size * 0.6),
            _text_box(left, baseline, words, size, anchor, mono, turned),
            words,
            x=f"{left:g}",
            y=f"{baseline:g}",
            font_family=MONO if mono else SERIF,
            font_size=f"{size:g}",
            fill=ink,
            text_anchor="" if anchor == "start" else anchor,
            transform=f"rotate(-90 {left:g} {_rounded(y):g})" if turned else "",
        )

    def rect(
        self,
        box: Box,
        *,
        fill: str = WHITE,
        share: float = 1.0,
        edge: str = "none",
        thick: float = 0.7,
        corner: float = 1.5,
    ) -> None:
        """Draw a box; `share` is the opacity of its colour."""
        place = Box(*map(_rounded, (box.x, box.y, box.width, box.height)))
        self._add(
            "rect",
            box.bottom,
            place,
            x=f"{place.x:g}",
            y=f"{place.y:g}",
            width=f"{place.width:g}",
            height=f"{place.height:g}",
            rx=f"{corner:g}",
            fill=fill,
            stroke=edge,
            stroke_width="" if edge == "none" else f"{thick:g}",
            fill_opacity=f"{share:.2f}" if share < 1 else "",
        )

    def line(
        self, *points: tuple[float, float], ink: str = MUTED, thick: float = 0.8, dash: str = ""
    ) -> None:
        """Draw a line through these points."""
        places = [(_rounded(x), _rounded(y)) for x, y in points]
        self._add(
            "polyline",
            max(y for _, y in points),
            _line_box(places),
            points=" ".join(f"{x:g},{y:g}" for x, y in places),
            fill="none",
            stroke=ink,
            stroke_width=f"{thick:g}",
            stroke_dasharray=dash,
        )

    def dot(self, x: float, y: float, radius: float = 2.0, ink: str = INK) -> None:
        """Draw a small round mark."""
        across, down = _rounded(x), _rounded(y)
        box = Box(across - radius, down - radius, 2 * radius, 2 * radius)
        place = {"cx": f"{across:g}", "cy": f"{down:g}", "r": f"{radius:g}"}
        self._add("circle", y + radius, box, **place, fill=ink)

    def arrow(self, *points: tuple[float, float], ink: str = MUTED) -> None:
        """Draw a line with a head at its end."""
        self.line(*points, ink=ink, thick=ARROW)
        (x0, y0), (x, y) = points[-2:]
        length = math.dist(*points[-2:])
        back_x, back_y = 4 * (x - x0) / length, 4 * (y - y0) / length
        barbs = [(x - back_x + side * back_y, y - back_y + side * back_x) for side in (0.6, -0.6)]
        self.line(barbs[0], (x, y), barbs[1], ink=ink, thick=ARROW)

    def _add(self, tag: str, low: float, box: Box, words: str = "", **attributes: str) -> None:
        """Add an element that reaches down to `low`, without the attributes that have no value."""
        self.height = max(self.height, low)
        svg_attributes = {
            name.replace("_", "-"): value for name, value in attributes.items() if value
        }
        self._elements.append(Element(tag, svg_attributes, box, words))


def _text_box(
    x: float, baseline: float, words: str, size: float, anchor: str, mono: bool, turned: bool
) -> Box:
    """The room of a line of text; where it is turned, it is as high as it is long."""
    length = text_width(words, size, mono) * (1 if mono else LIBERTINUS)
    if turned:
        return Box(x - size / 2, baseline - length / 2, size, length)
    left = {"start": 0, "middle": length / 2, "end": length}[anchor]
    return Box(x - left, baseline - size, length, size)


def _line_box(points: Sequence[tuple[float, float]]) -> Box:
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    return Box(left, top, right - left, bottom - top)


def _rounded(value: float) -> float:
    return round(value, 1) + 0.0
