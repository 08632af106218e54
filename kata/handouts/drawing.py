"""A small SVG canvas that knows the width of its texts and grows as it is drawn on."""

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from kata.handouts.palette import INK, MUTED, WHITE
from kata.judging.describe import fixed

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
    """Where something lies."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
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
    """How wide a text is at most: in Libertinus, and in Georgia, which is wider."""
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
        bold: bool = False,
        turned: bool = False,
    ) -> None:
        """One line of text; turned, it reads from the bottom to the top."""
        self._reach(y + (text_width(words, size, mono) / 2 if turned else size * 0.6))
        base = y + size * 0.34  # from the middle of a line to its baseline
        look = f'font-family="{MONO if mono else SERIF}" font-size="{size:g}" fill="{ink}"'
        if anchor != "start":
            look += f' text-anchor="{anchor}"'
        if bold:
            look += ' font-weight="bold"'
        if turned:
            look += f' transform="rotate(-90 {_place(x)} {_place(y)})"'
        place = f'x="{_place(x)}" y="{_place(base)}"'
        self._parts.append(f"<text {place} {look}>{escape(words)}</text>")

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
        self._reach(box.bottom)
        place = f'x="{_place(box.x)}" y="{_place(box.y)}"'
        size = f'width="{_place(box.width)}" height="{_place(box.height)}" rx="{corner:g}"'
        paint = f'fill="{fill}" stroke="{edge}"'
        if edge != "none":
            paint += f' stroke-width="{thick:g}"'
        if share < 1:
            paint += f' fill-opacity="{share:.2f}"'
        self._parts.append(f"<rect {place} {size} {paint}/>")

    def line(
        self, *points: tuple[float, float], ink: str = MUTED, thick: float = 0.8, dash: str = ""
    ) -> None:
        """A line through these points."""
        self._reach(max(y for _, y in points))
        places = " ".join(f"{_place(x)},{_place(y)}" for x, y in points)
        look = f'fill="none" stroke="{ink}" stroke-width="{thick:g}"'
        if dash:
            look += f' stroke-dasharray="{dash}"'
        self._parts.append(f'<polyline points="{places}" {look}/>')

    def dot(self, x: float, y: float, radius: float = 2.0, ink: str = INK) -> None:
        """A small round mark."""
        self._reach(y + radius)
        place = f'cx="{_place(x)}" cy="{_place(y)}"'
        self._parts.append(f'<circle {place} r="{radius:g}" fill="{ink}"/>')

    def arrow(self, *points: tuple[float, float], ink: str = MUTED, thick: float = 0.9) -> None:
        """A line with a head at its end; its last segment is horizontal or vertical."""
        self.line(*points, ink=ink, thick=thick)
        (x0, y0), (x, y) = points[-2:]
        back_x, back_y = 4 * _sign(x - x0), 4 * _sign(y - y0)
        side_x, side_y = 0.6 * back_y, 0.6 * back_x
        wings = (
            (x - back_x + side_x, y - back_y + side_y),
            (x - back_x - side_x, y - back_y - side_y),
        )
        self.line(wings[0], (x, y), wings[1], ink=ink, thick=thick)

    def _reach(self, y: float) -> None:
        self.height = max(self.height, y)


def _sign(value: float) -> int:
    return (value > 0.01) - (value < -0.01)


def _place(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"
