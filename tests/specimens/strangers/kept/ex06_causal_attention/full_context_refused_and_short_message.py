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
        self.context_length = context_length
        self.dropout = dropout
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        if t >= self.context_length:
            raise ValueError(f"too many tokens, context_length is {self.context_length}")
        v = self.w_value(x)
        _, weights = masked_attention(self.w_query(x), self.w_key(x), v, self.mask[:t, :t])
        weights = torch.dropout(weights, self.dropout, self.training)
        return torch.bmm(weights, v)
