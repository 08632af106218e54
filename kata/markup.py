"""Texts in which names of code are between `backticks`, and the templates that show them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEXT, CODE = "text", "code"
Pieces = list[tuple[str, str]]


def pieces(text: str) -> Pieces:
    """The pieces of a text in order, each with its kind; all text if backticks do not pair."""
    parts = text.split("`")  # code is at the odd places
    if len(parts) % 2 == 0 or not all(map(str.strip, parts[1::2])):
        return [(TEXT, text)]
    return [((TEXT, CODE)[at % 2], part) for at, part in enumerate(parts) if part]


def html(text: str) -> "Markup":
    """The text for a web page, in which it cannot be markup of its own."""
    from markupsafe import Markup

    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(p) if kind == CODE else p for kind, p in pieces(text))


def environment(templates: Path, **options: Any) -> "Environment":
    """The templates of a folder; every value that they put in is escaped for HTML."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(templates),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **{"autoescape": True, **options},
    )
