"""What exercise 18 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("first", "second")


class Model(nn.Module):
    """Anything that is called as attention is: two layers, and a mask that makes a difference."""

    def __init__(self, width: int, beside: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.beside = beside

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
    ) -> Tensor | tuple[Tensor | None, ...]:
        """Mix the values evenly over what the mask shows."""
        shown = torch.ones(()) if mask is None else mask.to(value.dtype)
        mixed = (shown * torch.ones(query.shape[1], key.shape[1], dtype=value.dtype)) @ value
        output: Tensor = self.second(self.first(mixed).tanh()) + query
        return output if self.beside < 0 else (output, *[None] * self.beside)


def trials(draw: Draw) -> Iterator[Trial]:
    """Runs of any length, with a mask of either shape, and pairs of runs that match or do not."""
    samples, tokens, width = draw.sizes(3)
    steps, beside, dtype = draw.one_of(0, 1, 4), draw.one_of(-1, 0, 1, 2), "float64"
    mask = draw.mask([(tokens, tokens), (samples, tokens, tokens)])
    shapes = linears(dict.fromkeys(NAMES, (width, width)), bias=True)
    inputs = [draw.normal(samples, tokens, width, dtype=dtype) for _ in range(2)]

    def call(it, x, target, mask, *own):
        model = loaded(Model(width, beside), list(shapes), own).train(training)
        losses = it.train(model, x.detach(), target.detach(), mask, steps, lr=0.01)
        after = [each.detach() for each in model.parameters()]
        return [np.array(losses), np.array(model.training), *after]

    training = draw.one_of(False, True)
    arguments = [*inputs, draw.one_of(mask, None), *numbers(draw, shapes, dtype)]
    yield Trial("train", call, arguments, tolerance=10)
    yield _match(draw)


def _match(draw: Draw) -> Trial:
    length = draw.size()
    unmasked = [float(10.0**power) for power in draw.rng.integers(-12, 6, size=length)]
    off = draw.one_of(0.0, 3e-7, 8e-7, 1.3e-6, 1e-4) * draw.one_of(1, -1)
    losses = list(unmasked)
    losses[int(draw.rng.integers(length))] *= 1 + off
    losses = draw.one_of(losses, losses, losses[:-1] or [*losses, 0.0])
    call = lambda it, *a: np.array(it.losses_match_unmasked(*a))
    return Trial("losses_match_unmasked", call, [losses, unmasked])
