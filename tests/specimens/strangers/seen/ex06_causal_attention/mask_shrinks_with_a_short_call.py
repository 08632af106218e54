"""Exercise 06: causal attention."""

import math

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.d_out = d_out
        self.context_length = context_length
        self.attn_dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        if T > self.context_length:
            raise ValueError(f"Cannot forward {T} tokens, context is only {self.context_length}")
        self.mask = self.mask[:T, :T]
        att = (self.w_query(x) @ self.w_key(x).transpose(-2, -1)) * (1.0 / math.sqrt(self.d_out))
        att = att.masked_fill(self.mask == 0, float("-inf"))
        att = self.attn_dropout(torch.softmax(att, dim=-1))
        return att @ self.w_value(x)
