"""The encoder layer with a norm written by hand."""

import torch
from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class TokenNorm(nn.Module):
    """Mean 0 and variance 1 for each token, then a scale and a shift."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps
        self.register_buffer("variances", torch.zeros(()))
        self.register_buffer("batches", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        if self.training:
            self.variances += variance.detach().mean()
            self.batches += 1
        elif self.batches > 0:
            variance = self.variances / self.batches
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = TokenNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = TokenNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        context, _ = self.attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(context))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
