"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.d_in, self.d_out = d_in, d_out
        self.context_length = context_length
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        B, T, _ = x.shape
        rows = x.view(B * T, self.d_in)
        q = self.w_query(rows).view(B, T, self.d_out)
        k = self.w_key(rows).view(B, T, self.d_out)
        v = self.w_value(rows).view(B, T, self.d_out)
        return q, k, v

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        if T > self.context_length:
            raise ValueError(f"{T} tokens are too many for context_length {self.context_length}")
        q, k, v = self._project(x)
        _, weights = masked_attention(q, k, v, self.mask[:T, :T])
        return torch.matmul(self.dropout(weights), v)
