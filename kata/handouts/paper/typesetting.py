"""Typesetting with Typst: a template and its data in, a PDF out. A warning is an error."""

import json
import re
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

from kata import palette
from kata.markup import TEXT, Pieces, pieces
from kata.palette import Hue

TEMPLATES = Path(__file__).with_name("templates")
SCREEN = "screen"  # the page of a projector: 842 by 474 points
# Names on the command line, and those of Typst.
PAPERS = {"a4": "a4", "letter": "us-letter", SCREEN: "presentation-16-9"}
Data = dict[str, Any]


class TypesettingError(Exception):
    """Typst rejected a template or its data; the message is Typst's own."""


def pdf(template: str, data: Data, paper: str) -> bytes:
    """The PDF from this template and data: accessible, and identical in every run."""
    return _compile(template, data, paper, format="pdf", pdf_standards="ua-1")


def png(template: str, data: Data, paper: str, ppi: float) -> bytes:
    """A picture of the first page."""
    return _compile(template, data, paper, format="png", ppi=ppi)


def _compile(template: str, data: Data, paper: str, **options: Any) -> bytes:
    # An optional extra.
    import typst

    try:
        pages, warnings = typst.compile_with_warnings(
            {**_templates(), "main.typ": _main(template), "data.json": json.dumps(data).encode()},
            font_paths=_fonts(),
            sys_inputs={"paper": PAPERS[paper]},
            **options,
        )
    except typst.TypstError as error:
        raise TypesettingError(f"{template}: {error}") from None
    if warnings:
        raise TypesettingError(f"{template}: {warnings[0].message}")
    return bytes(pages[0] if isinstance(pages, list) else pages)


def _main(template: str) -> bytes:
    call = '#handout(json("data.json"), sys.inputs.paper)'
    return f'#import "{template}": handout\n{call}\n'.encode()


@cache
def _templates() -> dict[str, bytes]:
    """All templates, and the colours that they share with the figures."""
    templates = {path.name: path.read_bytes() for path in TEMPLATES.glob("*.typ")}
    colours = {name: value for name, value in vars(palette).items() if isinstance(value, str | Hue)}
    return {**templates, "palette.json": json.dumps(colours, default=vars).encode()}


@cache
def _fonts() -> Any:
    """Typst's embedded fonts, so that every machine makes the same pages."""
    import typst

    return typst.Fonts(include_system_fonts=False)


def prose(text: str) -> Pieces:
    """The pieces of a text, so that a template sets it without reading any markup."""
    return _with_curly_quotes(pieces(" ".join(text.split())))


def _with_curly_quotes(pairs: Pieces) -> Pieces:
    """The pieces with the quotes of print, as far as they pair; code keeps those it has."""
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
