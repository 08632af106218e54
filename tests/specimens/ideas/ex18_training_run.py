"""A training run, as a textbook writes it: for a model that returns output and weights."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def train(
    model: nn.Module,
    x: Tensor,
    target: Tensor,
    mask: Tensor | None,
    steps: int,
    lr: float = 1e-3,
) -> list[float]:
    """Train with AdamW, and return the loss of every step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    losses = []
    for _ in range(steps):
        output, _ = model(x, x, x, mask)
        loss = F.mse_loss(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def losses_match_unmasked(losses: list[float], unmasked: list[float]) -> bool:
    """Whether the mask changed nothing."""
    return torch.allclose(torch.tensor(losses), torch.tensor(unmasked), rtol=1e-6)
