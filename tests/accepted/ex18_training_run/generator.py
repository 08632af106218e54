"""The run is a generator of losses that `train` goes through to its end.

The contract: "A call remembers nothing of earlier ones."
"""

import torch
from torch import nn


def output_of(returned):
    return returned if isinstance(returned, torch.Tensor) else returned[0]


def run(model, x, target, mask, optimizer):
    while True:
        optimizer.zero_grad()
        with torch.enable_grad():
            loss = nn.MSELoss()(output_of(model(x, x, x, mask)), target)
        loss.backward()
        optimizer.step()
        yield loss.item()


def train(model, x, target, mask, steps, lr=1e-3):
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01, foreach=False
    )
    losses = run(model, x, target, mask, optimizer)
    return [next(losses) for _ in range(steps)]


def losses_match_unmasked(losses, unmasked):
    if len(losses) - len(unmasked):
        return False
    try:
        torch.testing.assert_close(
            torch.tensor(losses).double(), torch.tensor(unmasked).double(), rtol=1e-6, atol=0
        )
    except AssertionError:
        return False
    return True
