"""The reader's terminal: its characters, colours and width."""

import os
import shutil
import textwrap
from typing import NamedTuple, TextIO

from kata.text import clean
from kata.verdict import State

NARROWEST, WIDEST = 40, 100  # columns that texts are wrapped to
COLOURS = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "cyan": 36}


class Style(NamedTuple):
    """The way to write for one reader.

    Attributes:
        unicode: whether there is more than ASCII.
        colour: whether there are colours.
        width: columns of the terminal.
        many: whether there are 256 colours, and not 16.
        moves: whether the place to write can be moved.
    """

    unicode: bool = True
    colour: bool = False
    width: int = 80
    many: bool = False
    moves: bool = False

    @property
    def shades(self) -> str:
        """The characters from empty to darkest."""
        return "·░▒▓█" if self.unicode else ".:+*#"

    @property
    def grounds(self) -> bool:
        """True if the ground behind a letter can have a colour of its own."""
        return self.colour and self.many

    @property
    def marks(self) -> dict[State, str]:
        """The characters for the states."""
        fancy = {State.PASSED: "✓", State.FAILED: "✗", State.NOT_STARTED: "·", State.SKIPPED: "–"}
        plain = {State.PASSED: "+", State.FAILED: "x", State.NOT_STARTED: ".", State.SKIPPED: "-"}
        return {**(fancy if self.unicode else plain), State.NOT_GRADABLE: "?"}

    @property
    def star(self) -> str:
        """The mark of a core exercise."""
        return "★" if self.unicode else "*"

    def paint(self, text: str, *names: str) -> str:
        """Return the text in these colours, if the terminal has colours."""
        if not self.colour or not text:
            return text
        codes = ";".join(str(COLOURS[name]) for name in names)
        return f"\033[{codes}m{text}\033[0m"

    def wrap(self, text: str, indent: int = 0) -> list[str]:
        """Break the text into lines that fit; continuation lines are indented further.

        Escapes are taken out, as a stranger's words may be in the text: colours come afterwards.
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
    """Return the style of a stream: ASCII where it supports nothing else; no colour in a pipe."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    dumb = os.environ.get("TERM") == "dumb"
    return Style(
        unicode=encoding.startswith("utf") and not dumb,
        colour=stream.isatty() and not dumb and not os.environ.get("NO_COLOR"),
        width=shutil.get_terminal_size().columns,
        moves=stream.isatty() and not dumb,
        many="256" in os.environ.get("TERM", "") or bool(os.environ.get("COLORTERM")),
    )
