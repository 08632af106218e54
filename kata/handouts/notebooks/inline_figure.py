"""The figure of an exercise inside Markdown, as an image that needs no other file.

An attachment would not do: VS Code shows it, and Colab does not. Of images in the text itself,
`<img>` is what the sanitisers of JupyterLab and VS Code let through.
"""

import re
from base64 import b64encode
from functools import cache
from html import escape

from kata.course.curriculum import Exercise
from kata.handouts.figures import figure

WIDTH = 860  # pixels, if there is room
# What differs from cell to cell.
PLACES = {"x", "y", "cx", "cy", "r", "points", "transform", "fill-opacity"}
PIXELS = {"font-size", "width", "height", "rx", "stroke-width"}
ELEMENT = re.compile(r"<(text|rect|polyline|circle) ([^>]*?)(/?)>")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


@cache
def inline_figure(exercise: Exercise) -> str:
    """An image with its description, and the caption below it; empty if there is no figure."""
    drawn = figure(exercise.slug)
    if drawn is None:
        return ""
    data = b64encode(smaller(drawn.svg).encode()).decode()
    source = f"data:image/svg+xml;base64,{data}"
    image = f'<img width="{WIDTH}" alt="{escape(drawn.alt)}" src="{source}">'
    return f"{image}\n\n*{drawn.caption}*"


def smaller(svg: str) -> str:
    """The same picture on white paper, in which equal looks are written once."""
    looks: dict[str, str] = {}

    def classed(match: re.Match[str]) -> str:
        tag, written, end = match.groups()
        pairs = ATTRIBUTE.findall(written)
        look = ";".join(
            f"{name}:{_unit(*pair)}" for pair in pairs if (name := pair[0]) not in PLACES
        )
        place = " ".join(f'{name}="{value}"' for name, value in pairs if name in PLACES)
        return f'<{tag} class="{looks.setdefault(look, _short(len(looks)))}" {place}{end}>'

    head, _, body = svg.partition(">\n")
    head = re.sub(r' aria-label="[^"]*"', "", head)  # the image has it
    body = ELEMENT.sub(classed, body).replace("\n", "")
    rules = "".join(f".{name}{{{look}}}" for look, name in looks.items())
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f"{head}><style>{rules}</style>{paper}{body}"


def _short(number: int) -> str:
    """A name for a look: letters first, for there are seldom more looks than letters."""
    return chr(97 + number) if number < 26 else f"a{number}"


def _unit(name: str, value: str) -> str:
    return f"{value}px" if name in PIXELS else value
