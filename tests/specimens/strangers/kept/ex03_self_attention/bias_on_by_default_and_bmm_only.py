"""Exercise 03: self-attention with weights that can be learned."""

import math

import torch
from torch import Tensor, nn


def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    batch_size, seq_len, d_k = k.shape
    scores = torch.bmm(q, k.permute(0, 2, 1)) / math.sqrt(d_k)
    attn = torch.softmax(scores, dim=2)
    return torch.bmm(attn, v)


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    return scaled_dot_product(x @ w_query, x @ w_key, x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = True) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        return scaled_dot_product(self.w_query(x), self.w_key(x), self.w_value(x))
