"""The figures: one for every exercise, and those of some mistakes.

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


def bug_figure(slug: str, bug: str) -> Figure | None:
    """A wrong answer of the catalogue beside the right one; None if there is no figure of it."""
    from kata.handouts.figures import mistakes
    from kata.handouts.figures.answers import inference

    with inference():
        return mistakes.figure(slug, bug)
