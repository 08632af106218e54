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
        self.dropout = dropout
        self.context_length = context_length
        self.register_buffer("mask", causal_mask(context_length))

    def _drop(self, weights: Tensor) -> Tensor:
        if not self.training:
            return weights
        keep = torch.bernoulli(torch.full_like(weights, 1 - self.dropout))
        return weights * keep

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        if t > self.context_length:
            raise ValueError(f"x has {t} tokens, context_length is {self.context_length}")
        values = self.w_value(x)
        _, weights = masked_attention(
            query=self.w_query(x), key=self.w_key(x), value=values, mask=self.mask[:t, :t]
        )
        return self._drop(weights) @ values
