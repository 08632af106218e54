"""Exercise 06: causal attention."""

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.max_tokens = context_length
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.drop = nn.Dropout(p=dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 1))

    def forward(self, x: Tensor) -> Tensor:
        n = x.size(1)
        if n > self.max_tokens:
            raise ValueError("got %d tokens, at most %d are allowed" % (n, self.max_tokens))
        keys = self.w_key(x)
        queries = self.w_query(x)
        values = self.w_value(x)
        scores = torch.einsum("bqd,bkd->bqk", queries, keys) * self.d_out**-0.5
        scores = self.drop(scores)
        scores = scores.masked_fill(self.mask[:n, :n].bool(), -torch.inf)
        return torch.einsum("bqk,bkd->bqd", scores.softmax(-1), values)
