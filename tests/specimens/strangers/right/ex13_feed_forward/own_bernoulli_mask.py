"""Exercise 13: the feed-forward network of a transformer layer."""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Dropout by hand: one coin for each hidden feature of each token, thrown anew each call."""

    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.keep = 1.0 - dropout
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)

    def _thin(self, hidden: Tensor) -> Tensor:
        if not self.training or self.keep == 1.0:
            return hidden
        if self.keep <= 0.0:
            return hidden * 0.0
        coins = torch.rand_like(hidden) < self.keep
        return torch.where(coins, hidden / self.keep, torch.zeros_like(hidden))

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.einsum("...e,fe->...f", x, self.linear1.weight) + self.linear1.bias
        hidden = self._thin((hidden + hidden.abs()) / 2)
        return torch.einsum("...f,ef->...e", hidden, self.linear2.weight) + self.linear2.bias
