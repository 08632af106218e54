"""Adam without decay, after every parameter has been shrunk by hand: AdamW in two parts.

The contract: "AdamW is as PyTorch has it, but for the learning rate."
"""

from itertools import zip_longest
from math import inf

import torch


def _shrink(parameters, factor):
    with torch.no_grad():
        for each in parameters:
            each.mul_(factor)


def _one_step(model, optimizer, x, target, mask, factor):
    output = model(x, x, x, mask)
    if isinstance(output, tuple):
        output = output[0]
    loss = torch.nn.functional.mse_loss(output, target, reduction="sum") / target.numel()
    for each in model.parameters():
        each.grad = None
    loss.backward()
    _shrink(model.parameters(), factor)
    optimizer.step()
    return loss.item()


def train(model, x, target, mask, steps, lr=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    factor = 1 - 0.01 * lr
    return [_one_step(model, optimizer, x, target, mask, factor) for _ in range(steps)]


def losses_match_unmasked(losses, unmasked):
    pairs = zip_longest(losses, unmasked, fillvalue=inf)
    return not any(a != b and not abs(a - b) < 1e-6 * max(a, b) for a, b in pairs)
