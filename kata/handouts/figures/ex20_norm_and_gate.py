"""Exercise 20: a row divided by its size, the curve of SiLU, and a gate at work on one token."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from kata.handouts.drawing import Box, Drawing, Figure, number
from kata.handouts.figures.answers import filled, finished, label, right, tensor, wrong
from kata.handouts.figures.shapes import DASHES, Axis, cells, curve, frame, grid, plain
from kata.palette import BLUE, HAIR, INK, ORANGE

SLUG, CENTRED, BENT = "ex20_norm_and_gate", "mean-subtracted", "relu-for-silu"
E, F = 3, 4
ROW = torch.tensor([[3.0, 5.0, 4.0, 6.0]])
STEPS = 60  # of the curve, for gates from -6 to 6
CHART = Box(212, 34, 156, 118)
SIZE = 30.0, 18.0
LOW = 172.0


def figure() -> Figure:
    """Two norms of a row; the curve; one token on its way through the gate."""
    page = Drawing()
    _rows(page, 20)
    page.line((168, 12), (168, LOW + 6), ink=HAIR)
    bent = silu(right(SLUG))
    _curves(page, bent, silu(wrong(SLUG, BENT)))
    page.line((424, 12), (424, LOW + 6), ink=HAIR)
    _token(page, 500)
    values = {"centre": number(float(ROW.mean())), "least": number(float(bent.min()))}
    return finished(page, SLUG, **values)


def silu(answer: Any) -> Tensor:
    """The part of a one that a network lets through, for gates from -6 to 6."""
    model = answer.SwiGLU(2, 1)
    for layer, weight in (("w_gate", [[1.0, 0.0]]), ("w_up", [[0.0, 1.0]])):
        model.get_submodule(layer).weight.data = torch.tensor(weight)
    nn.init.constant_(model.w_down.weight, 1.0)
    gates = torch.linspace(-6, 6, STEPS + 1)
    result: Tensor = model(torch.stack((gates, torch.ones_like(gates)), dim=-1))[:, 0]
    return result


def _rows(page: Drawing, x: float) -> None:
    """Draw a row, and its norms with the mean and without."""
    lines = {
        "row": (ROW, INK),
        "right": (right(SLUG).RMSNorm(4)(ROW), BLUE.dark),
        "wrong": (wrong(SLUG, CENTRED).RMSNorm(4)(ROW), ORANGE.dark),
    }
    page.text(x + 2 * SIZE[0], 8, label(SLUG, "norm"), ink=INK)
    for at, (name, (values, ink)) in enumerate(lines.items()):
        y = 44 + at * 48
        words = label(SLUG, name, centre=number(float(ROW.mean())))
        page.text(x, y - 8, words, size=8.5, ink=ink, anchor="start")
        grid(page, x, y, cells(values, partial(plain, digits=2)), SIZE)


def _curves(page: Drawing, bent: Tensor, cut: Tensor) -> None:
    """SiLU and ReLU over the same gates."""
    ticks = [(STEPS / 12 * (gate + 6), str(gate)) for gate in (-6, -3, 0, 3, 6)]
    across = Axis(0, STEPS, ticks, label(SLUG, "gate"))
    up = Axis(-1, 6, [(0, "0"), (3, "3"), (6, "6")])
    page.text(CHART.middle, 8, label(SLUG, "bent"), ink=INK)
    frame(page, CHART, across, up)
    for heights, name, hue, dash, lift in (
        (cut, "relu", ORANGE, DASHES[1], -5),
        (bent, "curve", BLUE, DASHES[0], 6),
    ):
        look = {"ink": hue.dark, "dash": dash, "thick": 1.6}
        x, y = curve(page, CHART, across, up, heights.tolist(), **look)
        page.text(x + 5, y + lift, label(SLUG, name), ink=hue.dark, anchor="start", mono=True)


def _token(page: Drawing, x: float) -> None:
    """Draw the numbers that the two layers make of a token, feature by feature."""
    model = filled(right(SLUG).SwiGLU(E, F), 5, 1.6)
    token = tensor(2, E)
    gate, up = model.w_gate(token), model.w_up(token)
    opened = gate * gate.sigmoid()
    lines = {"gate": gate, "opened": opened, "up": up, "product": opened * up}
    page.text(x + 2 * SIZE[0], 8, label(SLUG, "gated"), ink=INK)
    for at, (name, values) in enumerate(lines.items()):
        y = 34 + at * 31
        page.text(x - 8, y + SIZE[1] / 2, label(SLUG, name), size=8.5, anchor="end", ink=INK)
        grid(page, x, y, cells(values[None], partial(plain, digits=2)), SIZE)
    page.text(x + 2 * SIZE[0], LOW, label(SLUG, "formula"), ink=INK, size=8.5, mono=True)
