"""Exercise 06: causal attention."""

import math

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.context_length = context_length
        self.rate = dropout
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        hidden = torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1)
        self.register_buffer("mask", hidden)

    def forward(self, x: Tensor) -> Tensor:
        _, T, _ = x.shape
        if T > self.context_length:
            raise ValueError(f"too many tokens: {T}, context_length: {self.context_length}")
        Q = self.w_query(x)
        K = self.w_key(x)
        V = self.w_value(x)
        attn = Q.bmm(K.transpose(-2, -1)).div(math.sqrt(self.d_out))
        attn.masked_fill_(self.mask[:T, :T], float("-inf"))
        attn = nn.Dropout(self.rate)(attn.softmax(dim=2))
        return attn.bmm(V)
