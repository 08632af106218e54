"""Texts with `code` in them, as pieces that a template can set without reading any markup."""

import re

Marked = list[tuple[str, str]]
_CODE = re.compile(r"`([^`]+)`")


def marked(text: str) -> Marked:
    """The pieces of a text in order, each with its kind: "text" or "code"."""
    pieces = _CODE.split(" ".join(text.split()))  # code stands at the odd places
    kinds = ("text", "code")
    return [(kinds[at % 2], piece) for at, piece in enumerate(pieces) if piece]


def first_sentence(text: str) -> str:
    """The text up to its first full stop or semicolon that ends something."""
    found = re.search(r"(?<!\be\.g)[.;](?=\s|$)", text)
    return f"{text[: found.start()]}." if found else text


def capital(text: str) -> str:
    """With a capital at its start, if it starts with a word of English and with no name."""
    word = text.split(maxsplit=1)[0]
    code = (len(word) == 1 and word != "a") or re.search(r"[`_.(\d]", word)
    return text if code else text[0].upper() + text[1:]
