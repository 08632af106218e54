"""Exercise 06: causal attention."""

import torch.nn.functional as F
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.context_length, self.dropout = context_length, dropout
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=False)
        self.w_value = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        if t > self.context_length:
            raise ValueError(f"{t} > {self.context_length}")
        q, k, v = (layer(x) for layer in (self.w_query, self.w_key, self.w_value))
        weights = masked_attention(q, k, v, self.mask[:t, :t])[1]
        return F.dropout(weights, self.dropout, training=self.training) @ v
