"""What the reader's terminal can show: characters, colours, width."""

import os
import shutil
import textwrap
from dataclasses import dataclass
from typing import TextIO

from kata.text import clean
from kata.verdict import State

NARROWEST, WIDEST = 40, 100  # columns that texts are wrapped to
COLOURS = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "cyan": 36}


@dataclass(frozen=True)
class Style:
    """How to write for one reader."""

    unicode: bool = True
    colour: bool = False
    width: int = 80
    many: bool = False  # colours: 256, not 16
    moves: bool = False  # whether the place to write can be moved

    @property
    def shades(self) -> str:
        """Characters from empty to darkest."""
        return "·░▒▓█" if self.unicode else ".:+*#"

    @property
    def grounds(self) -> bool:
        """Whether what is behind a letter can have a colour of its own."""
        return self.colour and self.many

    @property
    def marks(self) -> dict[State, str]:
        """One character for each state."""
        fancy = {State.PASSED: "✓", State.FAILED: "✗", State.NOT_STARTED: "·", State.SKIPPED: "–"}
        plain = {State.PASSED: "+", State.FAILED: "x", State.NOT_STARTED: ".", State.SKIPPED: "-"}
        return {**(fancy if self.unicode else plain), State.NOT_GRADABLE: "?"}

    @property
    def star(self) -> str:
        """What marks a core exercise."""
        return "★" if self.unicode else "*"

    def paint(self, text: str, *names: str) -> str:
        """The text in these colours, if the terminal has colours."""
        if not self.colour or not text:
            return text
        codes = ";".join(str(COLOURS[name]) for name in names)
        return f"\033[{codes}m{text}\033[0m"

    def wrap(self, text: str, indent: int = 0) -> list[str]:
        """The text in lines that fit; continuation lines are indented further.

        It has no colours yet: a stranger's words may be in it, and no terminal is to obey them.
        """
        margin = " " * indent
        width = max(NARROWEST, min(self.width, WIDEST))
        return textwrap.wrap(
            clean(text),
            width,
            initial_indent=margin,
            subsequent_indent=f"{margin}  ",
            break_long_words=False,
            break_on_hyphens=False,
        ) or [margin]


def style_of(stream: TextIO) -> Style:
    """The style of a stream: ASCII where nothing else is supported; no colour in a pipe."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    dumb = os.environ.get("TERM") == "dumb"
    return Style(
        unicode=encoding.startswith("utf") and not dumb,
        colour=stream.isatty() and not dumb and not os.environ.get("NO_COLOR"),
        width=shutil.get_terminal_size().columns,
        moves=stream.isatty() and not dumb,
        many="256" in os.environ.get("TERM", "") or bool(os.environ.get("COLORTERM")),
    )
