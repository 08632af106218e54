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
        self.context_length = context_length
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, d_k = x.shape
        if tokens > self.context_length:
            raise ValueError(f"{tokens} tokens, but the context length is {self.context_length}")
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(d_k)
        scores = scores.masked_fill(~self.mask[:tokens, :tokens], float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return weights @ v
