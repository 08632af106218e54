"""Exercise 03: self-attention with weights that can be learned."""

import math

import torch
from torch import Tensor, nn


def attention_weights(queries: Tensor, keys: Tensor) -> Tensor:
    scores = torch.inner(queries, keys) if queries.dim() == 2 else queries @ keys.mT
    scores = scores / math.sqrt(queries.shape[-1])
    return torch.softmax(scores, dim=-1)


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    return attention_weights(x @ w_query, x @ w_key) @ (x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        return attention_weights(self.w_query(x), self.w_key(x)) @ self.w_value(x)
