"""Lines of text that a call shows in a notebook, and a terminal as they are."""

from collections.abc import Sequence
from html import escape

from kata.notebook.page import CODE_STYLE, marked
from kata.terminal.style import Style
from kata.text import clean

WIDTH = 88  # characters of a line of text in the output of a cell


class Reply:
    """Sentences, with a stranger's words in them made safe.

    They are `aligned` if they are lines that only line up in characters of one width.
    """

    def __init__(self, lines: Sequence[str], *, aligned: bool = False) -> None:
        self.lines = tuple(map(clean, lines))
        self.aligned = aligned

    def __repr__(self) -> str:
        if self.aligned:
            return "\n".join(self.lines)
        style = Style(width=WIDTH)
        return "\n".join(line for sentence in self.lines for line in style.wrap(sentence))

    def _repr_html_(self) -> str:
        if self.aligned:
            return f'<pre style="{CODE_STYLE}">{escape(repr(self))}</pre>'
        return "".join(f'<p style="margin:4px 0">{marked(line)}</p>' for line in self.lines)
