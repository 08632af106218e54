"""Exercise 11: the paths between features that close when a projection is left out."""

from typing import Any

import torch
from torch import Tensor

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.answers import filled, finished, label, reached, right
from kata.handouts.figures.shapes import Cell, axis_y, cells, grid, labels_x, struck
from kata.palette import BLUE, HUES, INK

SLUG, WHOLE = "ex11_fewer_projections", "ex09_multi_head_attention"
E, H = 6, 2
D = E // H
SIZE = 16.0, 16.0
TOP = 50.0
LAYERS = ("query", "key", "value", "out")
KINDS = {
    LAYERS: (True, True),
    ("query", "key", "out"): (True, False),
    ("query", "out"): (False, False),
}
PIECE = Box(6, TOP, 44, 18)


def figure() -> Figure:
    """Parameters as bars; which features can pass through the values, and meet in the scores."""
    page = Drawing()
    page.text(PIECE.x, TOP - 26, label(SLUG, "parameters", width=E), ink=INK, anchor="start")
    for at, layers in enumerate(KINDS):
        _bar(page, TOP + at * 36, layers)
    values, scores = (passed(True), passed(False)), (compared(True), compared(False))
    _pair(page, 246, "values", values)
    _pair(page, 474, "scores", scores)
    counts = [int(table.sum()) for table in (*values, *scores)]
    return finished(page, SLUG, values=counts[0], slices=counts[1], keys=counts[2], cut=counts[3])


def passed(projected: bool) -> Tensor:
    """A table of the features of a token (columns) that can reach features of the heads (rows)."""
    model = filled(
        right(WHOLE).MultiHeadAttention(E, H) if projected else _fewer(True), 3, digits=4
    )
    return reached(model, (lambda x: model(x, x, x)[0]) if projected else model) > 1e-9


def _fewer(project_keys: bool) -> Any:
    return right(SLUG).FewerProjections(E, H, project_keys)


def compared(projected: bool) -> Tensor:
    """A table of the features of a query (rows) that meet those of a key (columns) in head 0."""
    model = filled(_fewer(projected), 3, digits=4)
    keys = model.w_key.weight if projected else torch.eye(E, dtype=torch.float64)
    products: Tensor = model.w_query.weight[:D].T @ keys[:D]
    return products.abs() > 1e-9


def _bar(page: Drawing, y: float, layers: tuple[str, ...]) -> None:
    """Draw a piece for every layer, and the number of their parameters."""
    x = PIECE.x
    for name in layers:
        hue = HUES[LAYERS.index(name)]
        place = Box(x, y, PIECE.width, PIECE.height)
        page.rect(place, fill=hue.light, edge=hue.dark)
        page.text(place.middle, place.centre, f"w_{name}", size=8.5, ink=hue.dark)
        x = place.right
    total = right(SLUG).parameter_count(E, *KINDS[layers])
    page.text(x + 6, y + PIECE.height / 2, str(total), ink=INK, anchor="start", mono=True)


def _pair(page: Drawing, x: float, name: str, tables: tuple[Tensor, Tensor]) -> None:
    """Draw the map with a projection beside that without it."""
    page.text(x, TOP - 40, label(SLUG, name), ink=INK, anchor="start")
    axis_y(page, x - 9, TOP, E * SIZE[1], label(SLUG, f"{name}-rows"))
    for at, (side, table) in enumerate(zip(("with", "without"), tables, strict=True)):
        places = cells(table, lambda way: Cell(fill=BLUE.dark) if way else struck())
        box = grid(page, x + at * (E * SIZE[0] + 10), TOP, places, SIZE)
        page.text(box.middle, TOP - 22, label(SLUG, f"{name}-{side}"), size=8.5)
        labels_x(page, box.x, TOP - 7, [str(n) for n in range(E)], SIZE[0])
        page.text(box.middle, box.bottom + 10, f"{int(table.sum())} / {table.numel()}", mono=True)
