"""A layer built from a base class of residual steps; ReLU and dropout in place.

The contract: "In each step its output is added to its own input, and the sum is normalised."
"""

import torch
from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention


class MLP(nn.Sequential):
    def __init__(self, width, hidden, p):
        super().__init__()
        self.add_module("linear1", nn.Linear(width, hidden))
        self.add_module("drop", nn.Dropout(p))
        self.add_module("activation", nn.ReLU(inplace=True))
        self.add_module("linear2", nn.Linear(hidden, width))


class PostNorm(nn.Module):
    def residual(self, number, x, update):
        norm = getattr(self, f"norm{number}")
        drop = getattr(self, f"drop{number}")
        return norm(torch.stack([x, drop(update)]).sum(0))


class EncoderLayer(PostNorm):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm([d_model]) for _ in range(2))
        self.drop1, self.drop2 = (nn.Dropout(dropout) for _ in range(2))
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = MLP(d_model, d_hidden, dropout)

    def forward(self, x, mask=None):
        if mask is None:
            mask = x.new_ones(1, 1, 1, 1, dtype=torch.bool).expand(-1, -1, x.size(1), x.size(1))
        attended = self.attention(x, x, x, mask)[0]
        y = self.residual(1, x, attended)
        return self.residual(2, y, self.feed_forward(y))
