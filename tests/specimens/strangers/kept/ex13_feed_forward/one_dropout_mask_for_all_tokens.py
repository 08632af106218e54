"""Exercise 13: the feed-forward network of a transformer layer."""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_hidden = d_hidden
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        # zero some of the F hidden features
        keep = self.dropout(torch.ones(self.d_hidden, dtype=x.dtype, device=x.device))
        return self.linear2(torch.relu(self.linear1(x)) * keep)
