"""Exercise 23: two texts, their targets, the losses of these, and three means of the losses."""

import torch
from torch import Tensor

from kata.handouts.drawing import Drawing, Figure
from kata.handouts.figures.answers import finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import Cell, axis_y, cells, grid, heated, hued, step, struck
from kata.palette import INK, MUTED

SLUG = "ex23_next_token_loss"
TOKENS, LENGTHS = [[4, 1, 7, 3, 6], [2, 5, 0, 0, 0]], [5, 2]
SMALL, LARGE = (18.0, 18.0), (28.0, 18.0)
TOP, BELOW = 34.0, 104.0
MIDDLE = (TOP + BELOW + 36) / 2


def figure() -> Figure:
    """Tokens become inputs and targets, targets become losses, and losses become one number."""
    page = Drawing()
    tokens, lengths = torch.tensor(TOKENS), torch.tensor(LENGTHS)
    inputs, targets = right(SLUG).shift(tokens, lengths)
    axis_y(page, 14, MIDDLE - 18, 36, label(SLUG, "texts"))
    x = _table(page, 26, MIDDLE - 18, cells(tokens, _token, _real(tokens, lengths)), "tokens")
    x = _fork(page, x + 6) + 6
    end = _table(page, x, TOP, cells(inputs, _token, _real(inputs, lengths)), "inputs")
    _table(page, x, BELOW, cells(targets, _target), "targets")
    _losses(page, end + 8, targets)
    return finished(page, SLUG)


def _fork(page: Drawing, x: float) -> float:
    """Draw a line that becomes two arrows; return where these end."""
    page.text(x + 15, MIDDLE - 8, label(SLUG, "shift"), size=8.5, ink=INK, mono=True)
    page.line((x, MIDDLE), (x + 32, MIDDLE), ink=MUTED)
    page.line((x + 32, TOP + 18), (x + 32, BELOW + 18), ink=MUTED)
    for y in (TOP + 18, BELOW + 18):
        page.arrow((x + 32, y), (x + 50, y))
    return x + 50


def _real(tokens: Tensor, lengths: Tensor) -> Tensor:
    return torch.arange(tokens.size(1)) < lengths[:, None]


def _token(number: int, real: bool) -> Cell:
    return hued(number, 0) if real else Cell(str(number), ink=MUTED)


def _target(number: int) -> Cell:
    return struck() if number == right(SLUG).IGNORED else hued(number, 1)


def _table(page: Drawing, x: float, y: float, table: list[list[Cell]], name: str) -> float:
    box = grid(page, x, y, table, SMALL if name != "losses" else LARGE)
    page.text(box.middle, y - 9, label(SLUG, name), ink=INK)
    return box.right


def _losses(page: Drawing, x: float, targets: Tensor) -> None:
    """Draw the losses of all targets under some logits, and three means of them."""
    logits = 2 * tensor(1, *targets.shape, 8)
    losses = right(SLUG).token_losses(logits, targets)
    most = float(losses.max())

    def loss_cell(loss: float, target: int) -> Cell:
        return heated(loss, most=most) if target >= 0 else struck()

    x = step(page, x, BELOW + 18, 62, "token_losses") + 8
    end = _table(page, x, BELOW, cells(losses, loss_cell, targets), "losses")
    for at, name in enumerate(("right", "mean-of-means", "mean-over-all")):
        answer = right(SLUG) if name == "right" else wrong(SLUG, name)
        mean = float(answer.next_token_loss(logits, targets))
        ink = INK if name == "right" else MUTED
        words = label(SLUG, name, count=int((targets >= 0).sum()), all=targets.numel())
        y = BELOW - 16 + 26 * at
        page.text(end + 14, y, words, size=9, ink=ink, anchor="start")
        page.text(end + 14, y + 11, f"{mean:.2f}", size=8.5, ink=ink, mono=True, anchor="start")
