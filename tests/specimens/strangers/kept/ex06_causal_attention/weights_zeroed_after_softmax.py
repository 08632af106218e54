"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.root = d_out**0.5
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.shape[1]
        if tokens > self.mask.shape[0]:
            raise ValueError(f"{tokens} tokens for a context_length of {self.mask.shape[0]}")
        scores = self.w_query(x) @ self.w_key(x).transpose(1, 2)
        weights = torch.softmax(scores / self.root, dim=-1)
        weights = weights * self.mask[:tokens, :tokens]
        weights = self.dropout(weights)
        return weights @ self.w_value(x)
