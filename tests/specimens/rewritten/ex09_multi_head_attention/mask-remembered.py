"""Multi-head attention in steps, each a method."""

import math

import torch
from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{num_heads=} does not divide {d_model=}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.mask: Tensor | None = None

    def set_mask(self, mask: Tensor | None) -> None:
        """Keep the mask with four dimensions for the methods below."""
        if mask is not None:
            self.mask = mask[:, None, :, :] if mask.dim() == 3 else mask

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        """Scaled scores, masked."""
        scores = torch.matmul(q, k.mT) / math.sqrt(self.head_dim)
        if self.mask is not None:
            scores = scores.masked_fill(self.mask.logical_not(), -math.inf)
        return scores

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        self.set_mask(mask)
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in (
                (self.w_query, query),
                (self.w_key, key),
                (self.w_value, value),
            )
        )
        weights = self.dropout(self.score(q, k).softmax(dim=-1))
        return self.w_out(merge_heads(weights @ v)), weights
