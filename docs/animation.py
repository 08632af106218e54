"""Frames of text as one animated SVG: CSS alone, and a still for whoever asks for less motion.

What stands at one place in many frames is in the file once. What cannot show an animation shows
the still as well.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from xml.sax.saxutils import escape

from docs.coloured import GROUND, HEIGHT, INK, STYLE, WIDTH, Line, drawn

CALM = "@media(prefers-reduced-motion:reduce){*{animation:none!important}}"
RESTS = 0.4  # seconds that the caret is left to be seen


@dataclass(frozen=True)
class Typed:
    """A text that is typed, in front of what stands there."""

    line: Line
    rest: str
    begin: float  # seconds after its frame has begun
    seconds: float


@dataclass(frozen=True)
class Frame:
    """What is shown for a while."""

    seconds: float
    lines: Sequence[Line]
    typed: Sequence[Typed] = ()


@dataclass(frozen=True)
class Setting:
    """What is behind and before all frames, and what is told to those who cannot see them."""

    width: int
    height: int
    behind: str
    before: str
    title: str
    about: str


class Film:
    """The frames, and the rules by which they are seen."""

    def __init__(self, frames: Sequence[Frame], still: int) -> None:
        self._frames = frames
        self._still = still
        self._begins = [*accumulate((each.seconds for each in frames), initial=0.0)]
        self._rules: list[str] = []

    @property
    def seconds(self) -> float:
        """How long it is until it begins again."""
        return self._begins[-1]

    def svg(self, setting: Setting) -> str:
        """The whole file."""
        shown = "\n".join([*self._lines(), *self._typing()])  # makes the rules
        size = f'width="{setting.width}" height="{setting.height}"'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {setting.width} {setting.height}" role="img" aria-labelledby="t d">',
            f'<title id="t">{escape(setting.title)}</title>',
            f'<desc id="d">{escape(setting.about)}</desc>',
            "<style>", STYLE, *self._rules, CALM, "</style>",
            setting.behind, shown, setting.before, "</svg>\n",
        ])  # fmt: skip

    def _lines(self) -> Iterator[str]:
        """The lines that are seen in the same frames, together."""
        seen: defaultdict[Line, list[int]] = defaultdict(list)
        for at, frame in enumerate(self._frames):
            for line in frame.lines:
                seen[line].append(at)
        for when in dict.fromkeys(map(tuple, seen.values())):
            lines = [line for line, frames in seen.items() if tuple(frames) == when]
            yield f"<g{self._seen(when)}>{drawn(lines)}</g>"

    def _typing(self) -> Iterator[str]:
        for at, frame in enumerate(self._frames):
            if frame.typed:
                typed = "".join(self._typed(each, self._begins[at]) for each in frame.typed)
                yield f"<g{self._seen((at,))}>{typed}</g>"

    def _typed(self, typed: Typed, begin: float) -> str:
        """It lies below a cover, which moves away by a letter at a time."""
        line, letters = typed.line, len(typed.line.cells)
        start, end = begin + typed.begin, begin + typed.begin + typed.seconds
        moving = f"transform:none;animation-timing-function:steps({letters})"
        moved = f"transform:translateX({WIDTH * letters}px)"
        cover = self._moved([(0, "transform:none"), (start, moving), (end, moved)])
        caret = self._moved([(0, "opacity:0"), (start, "opacity:1"), (end + RESTS, "opacity:0")])
        wide = f'x="{line.x}" y="{line.y}" height="{HEIGHT}"'
        return (
            f'{drawn([line])}<g{cover}><rect {wide} width="900" fill="{GROUND}"/>'
            f"{drawn([Line(line.x, line.y, typed.rest)])}"
            f'<rect{caret} {wide} width="2" fill="{INK}"/></g>'
        )

    def _seen(self, frames: Sequence[int]) -> str:
        """The class of what is seen in these frames, and in the still if it is one of them."""
        if len(frames) == len(self._frames):
            return ""
        shown = [at in frames for at in range(len(self._frames))]
        changes = [at for at, each in enumerate(shown) if not at or each != shown[at - 1]]
        steps = [(self._begins[at], f"opacity:{shown[at]:d}") for at in changes]
        return self._moved(steps, "" if shown[self._still] else "opacity:0;")

    def _moved(self, steps: Iterable[tuple[float, str]], still: str = "") -> str:
        """A class whose properties change at these times, in seconds."""
        name = f"a{len(self._rules)}"
        frames = "".join(f"{100 * at / self.seconds:.4g}%{{{what}}}" for at, what in steps)
        motion = f"animation:{name} {self.seconds:g}s step-end infinite"
        self._rules.append(f".{name}{{{still}{motion}}}@keyframes {name}{{{frames}}}")
        return f' class="{name}"'
