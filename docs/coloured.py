"""Text with a terminal's escape codes as SVG: real text, as wide in every font."""

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from xml.sax.saxutils import escape

from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH, HEIGHT, BASE = 9, 19, 14  # of a letter; BASE is where it stands
# Black, red, green, yellow, blue, magenta, cyan and white that can be read on the ground.
COLOURS = [(110, 118, 129), (255, 123, 114), (86, 211, 100), (227, 179, 65), (121, 192, 255),
           (210, 168, 255), (86, 212, 221), (230, 237, 243)]  # fmt: skip
THEME = TerminalTheme((13, 17, 23), (230, 237, 243), COLOURS, COLOURS)
GROUND, INK = THEME.background_color.hex, THEME.foreground_color.hex
DIM = 0.35  # how far it is from a colour to what is behind it
NO_BREAK = "\N{NO-BREAK SPACE}"
FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'
STYLE = f"text{{font:15px {FONT};fill:{INK};white-space:pre}}"


@dataclass(frozen=True)
class Line:
    """A text at a place, in pixels."""

    x: int
    y: int
    ansi: str

    @property
    def cells(self) -> Sequence["Cell"]:
        """Its letters."""
        return _cells(self.ansi)


@dataclass(frozen=True)
class Cell:
    """One letter with its colours; "" behind it is the colour of the picture."""

    letter: str
    ink: str
    behind: str
    bold: bool

    @property
    def attributes(self) -> str:
        """Those in which it differs from a letter without any colour."""
        ink = f' fill="{self.ink}"' if self.ink != INK else ""
        return ink + (' font-weight="bold"' if self.bold else "")


def drawn(lines: Iterable[Line]) -> str:
    """What is behind the texts, then the texts."""
    boxes: defaultdict[str, str] = defaultdict(str)
    texts = []
    for line in lines:
        for colour, box in _boxes(line):
            boxes[colour] += box
        texts.append(_text(line))
    paths = [f'<path fill="{colour}" d="{boxes[colour]}"/>' for colour in boxes]
    return "".join([*paths, *texts])


def _boxes(line: Line) -> Iterator[tuple[str, str]]:
    """Each colour behind it, with the path of where it is."""
    at = line.x
    for colour, run in groupby(line.cells, key=lambda cell: cell.behind):
        wide = WIDTH * len([*run])
        if colour:
            yield colour, f"M{at} {line.y}h{wide}v{HEIGHT}h-{wide}z"
        at += wide


def _text(line: Line) -> str:
    """One element as wide as its letters, without the spaces around them."""
    whole = "".join(cell.letter for cell in line.cells)
    first, end = len(whole) - len(whole.lstrip()), len(whole.rstrip())
    if end == 0:
        return ""
    runs = groupby(line.cells[first:end], key=lambda cell: cell.attributes)
    spans = "".join(_span(look, [cell.letter for cell in run]) for look, run in runs)
    place = f'x="{line.x + WIDTH * first}" y="{line.y + BASE}"'
    return f'<text {place} textLength="{WIDTH * (end - first)}">{spans}</text>'


def _span(attributes: str, letters: Sequence[str]) -> str:
    """Spaces that are not to be broken at are kept by every reader."""
    text = escape("".join(letters).replace(" ", NO_BREAK))
    return f"<tspan{attributes}>{text}</tspan>" if attributes else text


@cache
def _cells(ansi: str) -> Sequence[Cell]:
    segments = Text.from_ansi(ansi).render(Console(file=io.StringIO(), color_system="truecolor"))
    return [
        _cell(letter, segment.style or Style.null())
        for segment in segments
        for letter in segment.text.rstrip("\n")
    ]


def _cell(letter: str, style: Style) -> Cell:
    behind = _triplet(style.bgcolor) or THEME.background_color
    ink = _triplet(style.color) or THEME.foreground_color
    ink = blend_rgb(ink, behind, DIM) if style.dim else ink
    return Cell(letter, ink.hex, behind.hex if behind.hex != GROUND else "", bool(style.bold))


def _triplet(colour: Color | None) -> ColorTriplet | None:
    return None if colour is None or colour.is_default else colour.get_truecolor(THEME)
