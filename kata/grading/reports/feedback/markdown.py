"""Untrusted texts for Markdown, shown literally and never read as markup.

A value that a template puts in is escaped unless one of these has made it safe.
"""

import re

from markupsafe import Markup

from kata.markup import CODE, pieces
from kata.text import clean, line

# What CommonMark, and GitHub's additions to it, take for markup; and what does so only at the edge
# of a word (emphasis, lists, rules), before a slash (links), after a number (lists) or www (links).
SPECIAL = re.compile(
    r"[\\`*{}\[\]<>#|~!&@$^]|(?<![^\W_])_|_(?![^\W_])|:(?=/)|(?<!\S)[-+=]|(?<=\d)[.)](?!\S)|(?<=www)\.",
    re.IGNORECASE,
)
SHORTEST_FENCE = 3


def escaped(text: object) -> Markup:
    """One line, shown literally."""
    if isinstance(text, Markup):
        return text
    return Markup(SPECIAL.sub(r"\\\g<0>", line(str(text))))


def inline(text: str) -> Markup:
    """The same, with code between backticks."""
    found = pieces(line(text))
    return Markup("".join(f"`{each}`" if kind == CODE else _kept(each) for kind, each in found))


def _kept(part: str) -> str:
    """Escaped, with the blanks at its ends."""
    inner = escaped(part)
    left, right = part[:1].isspace(), part[-1:].isspace()
    return f"{' ' * left}{inner}{' ' * (right and bool(inner))}"


def fenced(text: str) -> Markup:
    """A block of code, in a fence that is longer than any within."""
    text = clean(text)
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(SHORTEST_FENCE, longest + 1)
    return Markup(f"{fence}text\n{text}\n{fence}")
