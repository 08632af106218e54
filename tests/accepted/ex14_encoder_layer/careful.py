"""Checks what it is given, says what is wrong, computes statistics in one pass.

The contract: "Neither it nor the mask is changed, and neither need be contiguous."
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class TokenNorm(nn.Module):
    """A layer norm with `torch.var_mean` and `addcmul`."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_parameter("gain", nn.Parameter(torch.ones(features)))
        self.register_parameter("offset", nn.Parameter(torch.zeros(features)))

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.offset, (x - mean) * (variance + 1e-5).rsqrt(), self.gain)


class EncoderLayer(nn.Module):
    """Post-norm encoder layer."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        head_dim, rest = divmod(d_model, num_heads)
        if rest:
            low, high = head_dim * num_heads, (head_dim + 1) * num_heads
            raise ValueError(
                f"{num_heads} heads cannot share {d_model} features evenly; try {low} or {high}"
            )
        self.d_model = d_model
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout, bias=True)
        self.attention_dropout = nn.Dropout(p=dropout)
        self.norm1 = TokenNorm(d_model)
        self.feed_forward = FeedForward(d_model=d_model, d_hidden=d_hidden, dropout=dropout)
        self.feed_forward_dropout = nn.Dropout(p=dropout)
        self.norm2 = TokenNorm(d_model)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}"

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if x.dim() != 3 or x.size(2) != self.d_model:
            raise ValueError(f"x has shape {tuple(x.shape)}, expected (B, S, {self.d_model})")
        if mask is not None and mask.dtype is not torch.bool:
            raise TypeError(f"mask has dtype {mask.dtype}, expected torch.bool")
        attended, _ = self.attention(x, x, x, mask=mask)
        halfway = self.norm1(x + self.attention_dropout(attended))
        worked = self.feed_forward(halfway)
        return self.norm2(halfway + self.feed_forward_dropout(worked))
