"""A small SVG canvas that knows the width of its texts and grows as it is drawn on."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from kata.handouts.palette import INK, MUTED, WHITE
from kata.judging.values import fixed

WIDTH = 680
MARGIN = 4  # between what is drawn and the edge of the page
SERIF = "Libertinus Serif, Georgia, serif"
MONO = "DejaVu Sans Mono, monospace"
SIZE = 9.0  # of a text, by default
MONO_WIDTH = 0.605  # of a character, as a share of the size
NARROW, WIDE = frozenset("iljtrfI.,:;!'’|()[]{}/\\-·ᵀ² "), frozenset("mwMW%@—…∞→")


@dataclass(frozen=True)
class Figure:
    """One drawing with its texts.

    Attributes:
        title: a few words.
        svg: a whole document.
        alt: the description for readers who cannot see it.
        caption: the sentence below it.
    """

    title: str
    svg: str
    alt: str
    caption: str


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
    """A number with so many digits after the point, and a real minus."""
    return fixed(value, digits).replace("-", "−")


class Drawing:
    """A page drawn from the top left; its height is that of what is on it.

    In a text, `y` is the middle of the line, so that texts and boxes meet without sums.
    """

    def __init__(self, width: float = WIDTH) -> None:
        self.width = width
        self.height = 0.0
        self._parts: list[str] = []

    def figure(self, title: str, alt: str, caption: str) -> Figure:
        """The finished drawing with its texts."""
        return Figure(title, self._document(alt), alt, caption)

    def _document(self, alt: str) -> str:
        width, height = _place(self.width), _place(self.height + MARGIN)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        size = f'width="{width}" height="{height}" role="img" aria-label={quoteattr(alt)}'
        return "\n".join([f"{head} {size}>", *self._parts, "</svg>", ""])

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
        """One line of text; turned, it reads from the bottom to the top."""
        self._add(
            "text",
            y + (text_width(words, size, mono) / 2 if turned else size * 0.6),
            words,
            x=_place(x),
            y=_place(y + size * 0.34),  # from the middle of a line to its baseline
            font_family=MONO if mono else SERIF,
            font_size=f"{size:g}",
            fill=ink,
            text_anchor="" if anchor == "start" else anchor,
            transform=f"rotate(-90 {_place(x)} {_place(y)})" if turned else "",
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
        """A box; `share` is the opacity of its colour."""
        place = {name: _place(getattr(box, name)) for name in ("x", "y", "width", "height")}
        paint = {
            "fill": fill,
            "stroke": edge,
            "stroke_width": "" if edge == "none" else f"{thick:g}",
            "fill_opacity": f"{share:.2f}" if share < 1 else "",
        }
        self._add("rect", box.bottom, **place, rx=f"{corner:g}", **paint)

    def line(
        self, *points: tuple[float, float], ink: str = MUTED, thick: float = 0.8, dash: str = ""
    ) -> None:
        """A line through these points."""
        places = " ".join(f"{_place(x)},{_place(y)}" for x, y in points)
        look = {"stroke": ink, "stroke_width": f"{thick:g}", "stroke_dasharray": dash}
        self._add("polyline", max(y for _, y in points), points=places, fill="none", **look)

    def dot(self, x: float, y: float, radius: float = 2.0, ink: str = INK) -> None:
        """A small round mark."""
        self._add("circle", y + radius, cx=_place(x), cy=_place(y), r=f"{radius:g}", fill=ink)

    def arrow(self, *points: tuple[float, float], ink: str = MUTED, thick: float = 0.9) -> None:
        """A line with a head at its end."""
        self.line(*points, ink=ink, thick=thick)
        (x0, y0), (x, y) = points[-2:]
        length = math.dist(*points[-2:])
        back_x, back_y = 4 * (x - x0) / length, 4 * (y - y0) / length
        one, other = ((x - back_x + side * back_y, y - back_y + side * back_x)
                      for side in (0.6, -0.6))  # fmt: skip
        self.line(one, (x, y), other, ink=ink, thick=thick)

    def _add(self, tag: str, low: float, words: str = "", **attributes: str) -> None:
        """Add an element that reaches down to `low`, without the attributes that have no value."""
        self.height = max(self.height, low)
        svg_attributes = {
            name.replace("_", "-"): value for name, value in attributes.items() if value
        }
        look = "".join(f' {name}="{value}"' for name, value in svg_attributes.items())
        self._parts.append(f"<{tag}{look}" + (f">{escape(words)}</{tag}>" if words else "/>"))


def _place(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"
