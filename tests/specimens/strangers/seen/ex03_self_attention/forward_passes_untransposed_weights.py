"""Exercise 03: self-attention with weights that can be learned."""

import math

import torch
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    """softmax(q @ k^T / sqrt(d_out)) @ v"""
    q, k, v = torch.matmul(x, w_query), torch.matmul(x, w_key), torch.matmul(x, w_value)
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    return torch.matmul(torch.softmax(scores, dim=-1), v)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        return self_attention(x, self.w_query.weight, self.w_key.weight, self.w_value.weight)
