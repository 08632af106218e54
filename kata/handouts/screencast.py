"""A screencast: a command that runs in a real terminal, recorded, and drawn as one animated SVG.

Its words are text, as wide in every font, and it moves by CSS alone. Readers who ask for less
motion see a still, as do programs that cannot show an animation.
"""

import io
import os
import re
import struct
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby
from pathlib import Path
from select import select
from typing import Self
from xml.sax.saxutils import escape

from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from kata.course.curriculum import ROOT
from kata.interpreter import guarded

ROWS, COLUMNS = 24, 96
PATIENCE = 250  # seconds, for a busy machine
CLEARED = re.compile(r"\n+\x1b\[H\x1b\[J")  # what `kata watch` writes to begin an empty screen
TIMES = re.compile(r"\d\d:\d\d:\d\d  |  \(\d+\.\d\d s\)")  # all that differs between runs
LEFT_OUT = ("PYTEST", "COV", "CI", "COLUMNS", "LINES", "NO_COLOR", "COLORTERM")

WIDTH, HEIGHT, BASE = 9, 19, 14  # of a letter, in pixels; its baseline
# Black, red, green, yellow, blue, magenta, cyan and white that can be read on the ground.
COLOURS = [(110, 118, 129), (255, 123, 114), (86, 211, 100), (227, 179, 65), (121, 192, 255),
           (210, 168, 255), (86, 212, 221), (230, 237, 243)]  # fmt: skip
THEME = TerminalTheme((13, 17, 23), (230, 237, 243), COLOURS, COLOURS)
GROUND, INK = THEME.background_color.hex, THEME.foreground_color.hex
DIM = 0.35  # the share of the ground in a dim colour
NO_BREAK = "\N{NO-BREAK SPACE}"
FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'
STYLE = f"text{{font:15px {FONT};fill:{INK};white-space:pre}}"
CALM = "@media(prefers-reduced-motion:reduce){*{animation:none!important}}"
Texts = tuple[str, str]  # a title and a description, for readers who cannot see the picture
REST = 0.4  # seconds for which the caret stays after the last letter


# ---- the recording
class Terminal:
    """A Python program at work in a terminal of its own. Not on Windows."""

    def __init__(self, home: Path, command: str, columns: int = COLUMNS) -> None:
        self._keyboard, screen = _open_terminal(columns)
        self._process = subprocess.Popen(
            guarded("-m", *command.split()), cwd=home, env=_environment(),
            stdin=screen, stdout=screen, stderr=screen, start_new_session=True,
        )  # fmt: skip
        os.close(screen)
        self._output = b""
        self._position = 0

    def wait_for(self, *texts: str) -> None:
        """Wait until these texts are written, in this order, after all that was waited for."""
        for text in texts:
            expected, end = text.encode(), time.monotonic() + PATIENCE
            while expected not in self._output[self._position :]:
                if time.monotonic() > end or not self._read():
                    raise RuntimeError(f"{text!r} was not written:\n{self.output}")
            self._position = self._output.index(expected, self._position) + len(expected)

    def press(self, key: str) -> None:
        """Type one key."""
        os.write(self._keyboard, key.encode())

    def wait(self) -> str:
        """Return the output once the program has ended."""
        while self._read():
            pass
        self._process.wait(PATIENCE)
        return self.output

    def _read(self) -> bool:
        """Read what has been written; False at the end."""
        if not select([self._keyboard], [], [], 1)[0]:
            return True
        try:
            part = os.read(self._keyboard, 65536)
        # Linux reports a closed terminal as an error.
        except OSError:
            part = b""
        self._output += part
        return bool(part)

    @property
    def output(self) -> str:
        """All that has been written, without times."""
        return TIMES.sub("", self._output.decode("utf-8", "replace").replace("\r\n", "\n"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._keyboard)


def _open_terminal(columns: int) -> tuple[int, int]:
    """Return the keyboard's end and the program's end of a new terminal."""
    # Windows has none of these modules.
    import fcntl
    import pty
    import termios

    keyboard, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    return keyboard, screen


def _environment() -> dict[str, str]:
    """An environment with 256 colours and this kata, whatever the terminal around it."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(LEFT_OUT)}
    terminal = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    return {**inherited, **terminal, "PYTHONPATH": str(ROOT)}


def screens(output: str) -> list[list[str]]:
    """The rows that could be read each time before the screen was cleared, and at the end."""
    # The cursor waits on the last row; rows above the first have scrolled away.
    return [screen.rstrip("\n").split("\n")[1 - ROWS :] for screen in CLEARED.split(output)]


# ---- text with escape codes as SVG
@dataclass(frozen=True)
class Line:
    """A text with a terminal's escape codes, and its place in pixels."""

    x: int
    y: int
    ansi: str

    @property
    def cells(self) -> Sequence["Cell"]:
        """The letters of the text."""
        return _cells(self.ansi)


@dataclass(frozen=True)
class Cell:
    """One letter with its colours; its ground is "" where it is that of the picture."""

    letter: str
    ink: str
    ground: str
    bold: bool

    @property
    def attributes(self) -> str:
        """The attributes of its element, as far as they are not the usual ones."""
        ink = f' fill="{self.ink}"' if self.ink != INK else ""
        return ink + (' font-weight="bold"' if self.bold else "")


@cache
def _cells(ansi: str) -> Sequence[Cell]:
    segments = Text.from_ansi(ansi).render(Console(file=io.StringIO(), color_system="truecolor"))
    return [
        _cell(letter, segment.style or Style.null())
        for segment in segments
        for letter in segment.text.rstrip("\n")
    ]


def _cell(letter: str, style: Style) -> Cell:
    ground = _triplet(style.bgcolor) or THEME.background_color
    ink = _triplet(style.color) or THEME.foreground_color
    ink = blend_rgb(ink, ground, DIM) if style.dim else ink
    return Cell(letter, ink.hex, ground.hex if ground.hex != GROUND else "", bool(style.bold))


def _triplet(colour: Color | None) -> ColorTriplet | None:
    return None if colour is None or colour.is_default else colour.get_truecolor(THEME)


def elements(lines: Iterable[Line]) -> str:
    """The elements of some lines: first the grounds of all of them, then their texts."""
    boxes: defaultdict[str, str] = defaultdict(str)
    texts = []
    for line in lines:
        for colour, box in _boxes(line):
            boxes[colour] += box
        texts.append(_text(line))
    paths = [f'<path fill="{colour}" d="{boxes[colour]}"/>' for colour in boxes]
    return "".join([*paths, *texts])


def _boxes(line: Line) -> Iterator[tuple[str, str]]:
    """The colours behind a line, with the paths of their boxes."""
    x = line.x
    for colour, run in groupby(line.cells, key=lambda cell: cell.ground):
        width = WIDTH * len([*run])
        if colour:
            yield colour, f"M{x} {line.y}h{width}v{HEIGHT}h-{width}z"
        x += width


def _text(line: Line) -> str:
    """One element as wide as its letters, without the spaces around them."""
    letters = "".join(cell.letter for cell in line.cells)
    first, end = len(letters) - len(letters.lstrip()), len(letters.rstrip())
    if end == 0:
        return ""
    runs = groupby(line.cells[first:end], key=lambda cell: cell.attributes)
    spans = "".join(_span(look, [cell.letter for cell in run]) for look, run in runs)
    place = f'x="{line.x + WIDTH * first}" y="{line.y + BASE}"'
    return f'<text {place} textLength="{WIDTH * (end - first)}">{spans}</text>'


def _span(attributes: str, letters: Sequence[str]) -> str:
    # Not every reader of SVG keeps plain spaces.
    text = escape("".join(letters).replace(" ", NO_BREAK))
    return f"<tspan{attributes}>{text}</tspan>" if attributes else text


# ---- frames as an animation
@dataclass(frozen=True)
class Typed:
    """A text that is typed in front of the rest of its line.

    Attributes:
        line: the text and its place.
        rest: the text behind it.
        begin: seconds from the begin of the frame.
        seconds: the time that typing takes.
    """

    line: Line
    rest: str
    begin: float
    seconds: float


@dataclass(frozen=True)
class Frame:
    """The lines that stand still for a while, and those that are typed meanwhile."""

    seconds: float
    lines: Sequence[Line]
    typed: Sequence[Typed] = ()


class Film:
    """Frames that follow one another again and again; one of them is the still."""

    def __init__(self, frames: Sequence[Frame], still: int) -> None:
        self._frames = frames
        self._still = still
        self._starts = [*accumulate((frame.seconds for frame in frames), initial=0.0)]
        self._rules: list[str] = []

    def svg(self, width: int, height: int, background: str, border: str, texts: Texts) -> str:
        """The whole file; a line that stands in many frames is in it once."""
        # Drawing them adds the rules.
        groups = [*self._still_lines(), *self._typed_lines()]
        size = f'width="{width}" height="{height}"'
        title, about = map(escape, texts)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d">',
            f'<title id="t">{title}</title>',
            f'<desc id="d">{about}</desc>',
            "<style>", STYLE, *self._rules, CALM, "</style>",
            background, *groups, border, "</svg>\n",
        ])  # fmt: skip

    def _still_lines(self) -> Iterator[str]:
        """A group for all lines that stand in the same frames."""
        places: defaultdict[Line, list[int]] = defaultdict(list)
        for at, frame in enumerate(self._frames):
            for line in frame.lines:
                places[line].append(at)
        for frames in dict.fromkeys(map(tuple, places.values())):
            lines = [line for line, numbers in places.items() if tuple(numbers) == frames]
            yield f"<g{self._visible(frames)}>{elements(lines)}</g>"

    def _typed_lines(self) -> Iterator[str]:
        for at, frame in enumerate(self._frames):
            if frame.typed:
                lines = "".join(self._typed(typed, self._starts[at]) for typed in frame.typed)
                yield f"<g{self._visible((at,))}>{lines}</g>"

    def _typed(self, typed: Typed, start: float) -> str:
        """The text below a cover, which moves away by one letter at a time."""
        line, letters = typed.line, len(typed.line.cells)
        begin, end = start + typed.begin, start + typed.begin + typed.seconds
        moving = f"transform:none;animation-timing-function:steps({letters})"
        moved = f"transform:translateX({WIDTH * letters}px)"
        cover = self._animated([(0, "transform:none"), (begin, moving), (end, moved)])
        caret = self._animated([(0, "opacity:0"), (begin, "opacity:1"), (end + REST, "opacity:0")])
        place = f'x="{line.x}" y="{line.y}" height="{HEIGHT}"'
        return (
            f'{elements([line])}<g{cover}><rect {place} width="900" fill="{GROUND}"/>'
            f"{elements([Line(line.x, line.y, typed.rest)])}"
            f'<rect{caret} {place} width="2" fill="{INK}"/></g>'
        )

    def _visible(self, frames: Sequence[int]) -> str:
        """The class of what is visible in these frames only."""
        if len(frames) == len(self._frames):
            return ""
        visible = [at in frames for at in range(len(self._frames))]
        changes = [at for at, now in enumerate(visible) if not at or now != visible[at - 1]]
        steps = [(self._starts[at], f"opacity:{visible[at]:d}") for at in changes]
        return self._animated(steps, "" if visible[self._still] else "opacity:0;")

    def _animated(self, steps: Iterable[tuple[float, str]], still: str = "") -> str:
        """A class whose properties change at these times, in seconds."""
        name, seconds = f"a{len(self._rules)}", self._starts[-1]
        frames = "".join(f"{100 * at / seconds:.4g}%{{{look}}}" for at, look in steps)
        motion = f"animation:{name} {seconds:g}s step-end infinite"
        self._rules.append(f".{name}{{{still}{motion}}}@keyframes {name}{{{frames}}}")
        return f' class="{name}"'
