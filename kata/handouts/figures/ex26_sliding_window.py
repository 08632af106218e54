"""Exercise 26: the mask of a whole text, and that of a second call over the cache of the first."""

import torch

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import finished, label, right
from kata.handouts.figures.shapes import axis_x, cells, grid, hued, labels_x, labels_y, step, truth
from kata.palette import INK, ORANGE

SLUG = "ex26_sliding_window"
TEXT, WINDOW, FIRST = 7, 3, 4  # tokens of the text, the window, tokens of the first call
CELL = (20.0, 18.0)
TOP = 58.0
MIDDLE = TOP + TEXT * CELL[1] / 2


def figure() -> Figure:
    """A band in one call; in the second of two, its last rows, over the tokens in the cache."""
    page, answer = Drawing(), right(SLUG)
    whole = _mask(page, 26, 0, answer.window_mask(TEXT, WINDOW), 0)
    page.text(whole.middle, TOP - 38, label(SLUG, "once", tokens=TEXT), ink=INK)
    cached = _cached(
        page, step(page, whole.right + 16, MIDDLE, 62, label(SLUG, "cut"), mono=False) + 14
    )
    x = step(page, cached.right + 10, MIDDLE, 56, label(SLUG, "next"), mono=False) + 26
    start, new = FIRST - cached_numbers().numel(), TEXT - FIRST
    second = answer.window_mask(new, WINDOW, FIRST - start)
    box = _mask(page, x, FIRST, second, start)
    page.text(box.middle, box.y - 38, label(SLUG, "second", new=new), ink=INK)
    past = Box(box.x, box.y, (FIRST - start) * CELL[0], box.height)
    page.rect(past, share=0, edge=ORANGE.dark, thick=1.6)
    page.text(past.middle, box.bottom + 11, label(SLUG, "cache"), size=8.5, ink=ORANGE.dark)
    page.text(past.right + new * CELL[0] / 2, box.bottom + 11, label(SLUG, "new"), size=8.5)
    return finished(page, SLUG, tokens=TEXT, window=WINDOW, first=FIRST, new=new)


def cached_numbers() -> torch.Tensor:
    """The numbers of the tokens of the first call that stay in the cache."""
    # The keys of the tokens are their numbers.
    numbers = torch.arange(float(FIRST)).view(1, 1, FIRST, 1)
    cached: torch.Tensor = right(SLUG).keep_last((numbers, numbers), WINDOW)[0].flatten()
    return cached


def _mask(page: Drawing, x: float, first: int, mask: torch.Tensor, start: int) -> Box:
    """Draw a mask, with the numbers of the tokens in the text beside it."""
    rows, columns = mask.shape
    y = MIDDLE - rows * CELL[1] / 2
    box = grid(page, x, y, cells(mask, truth), CELL)
    labels_x(page, x, y - 7, [str(start + at) for at in range(columns)], CELL[0])
    labels_y(page, x - 5, y, [str(first + at) for at in range(rows)], CELL[1])
    axis_x(page, x, y - 14, box.width, label(SLUG, "keys"), size=8)
    return box


def _cached(page: Drawing, x: float) -> Box:
    """Draw the tokens of the first call, with forgotten ones struck through."""
    stays = {int(number) for number in cached_numbers()}
    table = [[hued(at, 0) if at in stays else truth(False)] for at in range(FIRST)]
    box = grid(page, x, MIDDLE - FIRST * CELL[1] / 2, table, CELL)
    page.text(box.middle, box.y - 9, label(SLUG, "first", first=FIRST), ink=INK, size=8.5)
    return box
