"""Exercise 13: the feed-forward network of a transformer layer."""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)
        self.mask: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.max(self.linear1(x), torch.tensor(0.0, dtype=x.dtype))
        if self.training:
            if self.mask is None or self.mask.shape != hidden.shape:
                self.mask = self.dropout(torch.ones_like(hidden)).detach()
            hidden = hidden * self.mask
        return self.linear2(hidden)
