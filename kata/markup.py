"""Texts with code in `backticks`, and the HTML templates into which they go."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEXT, CODE = "text", "code"
Pieces = list[tuple[str, str]]


def pieces(text: str) -> Pieces:
    """Return the pieces of a text with their kinds; all of it is text if backticks do not pair."""
    # Code is at the odd places.
    parts = text.split("`")
    if len(parts) % 2 == 0 or not all(map(str.strip, parts[1::2])):
        return [(TEXT, text)]
    return [((TEXT, CODE)[place % 2], part) for place, part in enumerate(parts) if part]


def html(text: str) -> "Markup":
    """Return the text for a web page, in which it cannot be markup of its own."""
    from markupsafe import Markup

    code = Markup("<code>{}</code>")
    return Markup("").join(
        code.format(piece) if kind == CODE else piece for kind, piece in pieces(text)
    )


def environment(templates: Path, **options: Any) -> "Environment":
    """Return the templates of a folder; every value that they put in is escaped for HTML."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(templates),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **{"autoescape": True, **options},
    )
