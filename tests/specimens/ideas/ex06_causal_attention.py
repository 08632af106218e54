"""Causal attention with one head, as textbooks on language models write it."""

import math

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask


class CausalAttention(nn.Module):
    """One head of self-attention in which no token sees a later one."""

    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        """Project, hide the future, mix the values."""
        _, length, _ = x.shape
        query, key, value = self.w_query(x), self.w_key(x), self.w_value(x)
        scores = query @ key.transpose(1, 2) / math.sqrt(key.size(-1))
        scores = scores.masked_fill(self.mask[:length, :length] == 0, float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return weights @ value
