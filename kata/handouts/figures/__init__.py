"""The figures of the exercises, one for each.

Nothing here imports torch before a figure is asked for.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from kata.handouts.drawing import Figure


@cache  # the notebook, the sheet, the slides and the site draw it only once
def figure(slug: str) -> Figure | None:
    """The figure of an exercise, drawn by the module of its name; None if there is no module."""
    if find_spec(f"{__name__}.{slug}") is None:
        return None
    from kata.handouts.figures.answers import inference

    with inference():
        drawing: Figure = import_module(f"{__name__}.{slug}").figure()
    return drawing
