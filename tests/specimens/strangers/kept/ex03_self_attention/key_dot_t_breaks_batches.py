"""Exercise 03: self-attention with weights that can be learned."""

import math

import torch
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    q, k, v = (x @ w for w in (w_query, w_key, w_value))
    return torch.softmax(q @ k.T / math.sqrt(k.shape[-1]), -1) @ v


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query, self.w_key, self.w_value = (
            nn.Linear(d_in, d_out, bias=bias) for _ in range(3)
        )

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        return torch.softmax(q @ k.T / math.sqrt(k.shape[-1]), -1) @ v
