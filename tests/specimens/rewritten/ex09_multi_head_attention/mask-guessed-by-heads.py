"""Multi-head attention with batches and heads flattened into one dimension."""

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"E = {d_model} is not divisible by H = {num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias)
        self.w_key = nn.Linear(d_model, d_model, bias)
        self.w_value = nn.Linear(d_model, d_model, bias)
        self.w_out = nn.Linear(d_model, d_model, bias)
        self.dropout = nn.Dropout(dropout)

    def _flat_heads(self, x: Tensor) -> Tensor:
        """(B, L, E) to (B·H, L, D)."""
        return torch.cat(x.chunk(self.num_heads, dim=-1), dim=1).reshape(
            x.shape[0] * self.num_heads, x.shape[1], self.head_dim
        )

    def _four_dims(self, mask: Tensor) -> Tensor:
        """Give a mask of two or three dimensions the missing ones."""
        if mask.dim() == 2:
            return mask[None, None]
        if mask.dim() == 3 and mask.size(0) == self.num_heads:
            return mask[None]
        if mask.dim() == 3:
            return mask[:, None]
        return mask

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        b, t, s = query.size(0), query.size(1), key.size(1)
        q = self._flat_heads(self.w_query(query))
        k = self._flat_heads(self.w_key(key))
        v = self._flat_heads(self.w_value(value))
        scores = torch.bmm(q, k.transpose(1, 2)).div(math.sqrt(self.head_dim))
        scores = scores.view(b, self.num_heads, t, s)
        if mask is not None:
            scores = scores.masked_fill(~self._four_dims(mask), float("-inf"))
        weights = torch.softmax(scores, -1)
        dropped = self.dropout(weights).view(-1, t, s)
        context = torch.bmm(dropped, v).view(b, self.num_heads, t, self.head_dim)
        context = torch.cat(context.unbind(dim=1), dim=-1)
        return self.w_out(context), weights
