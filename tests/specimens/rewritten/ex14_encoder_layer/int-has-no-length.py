"""The encoder layer with a norm for any shape."""

import torch
import torch.nn as nn
from torch import Tensor

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class ShapeNorm(nn.Module):
    """Normalise over the last dimensions."""

    def __init__(self, shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        super().__init__()
        self.shape = shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.shape))
        self.bias = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x: Tensor) -> Tensor:
        dims = tuple(range(-len(self.shape), 0))
        centred = x - x.mean(dim=dims, keepdim=True)
        variance = centred.pow(2).mean(dim=dims, keepdim=True)
        return self.weight * centred * torch.rsqrt(variance + self.eps) + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = ShapeNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = ShapeNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        seen = self.dropout(self.attention(x, x, x, mask)[0]) + x
        seen = self.norm1(seen)
        thought = self.dropout(self.feed_forward(seen)) + seen
        return self.norm2(thought)
