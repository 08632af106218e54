"""Exercise 06: causal attention."""

import math

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
        self.norm = math.sqrt(d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        t, t_max = x.shape[1], self.mask.shape[0]
        if t > t_max:
            raise ValueError(f"context_length is {t_max}, but x has {t} tokens")
        query = self.w_query(x) / self.norm
        key = self.w_key(x)
        value = self.w_value(x)
        output, weights = masked_attention(query, key, value, self.mask[:t, :t])
        if self.training and self.dropout.p > 0:
            output = self.dropout(weights) @ value
        return output
