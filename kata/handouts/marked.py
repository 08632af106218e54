"""Texts of the kata as they are set on paper."""

import re
from itertools import cycle

from kata.markup import TEXT, Pieces, pieces


def marked(text: str) -> Pieces:
    """The pieces of a text, which a template can set without reading any markup."""
    return _curly(pieces(" ".join(text.split())))


def _curly(pairs: Pieces) -> Pieces:
    """The pieces with the quotes of print, as far as they pair; code stays as it is typed."""
    if sum(words.count('"') for kind, words in pairs if kind == TEXT) % 2:
        return pairs
    marks = cycle("“”")
    return [(kind, re.sub('"', lambda _: next(marks), words) if kind == TEXT else words)
            for kind, words in pairs]  # fmt: skip


def capital(text: str) -> str:
    """The text with a capital first letter, unless it starts with a name from the code."""
    word = text.split(maxsplit=1)[0]
    code = (len(word) == 1 and word != "a") or re.search(r"[`_.(\d]", word)
    return text if code else text[0].upper() + text[1:]
