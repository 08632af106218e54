"""Exercise 03: self-attention with weights that can be learned."""

import math

import torch
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    keys = x @ w_key
    queries = x @ w_query
    values = x @ w_value
    attn_scores = queries @ keys.transpose(-2, -1)  # omega
    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
    context_vec = attn_weights @ values
    return context_vec


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        bound = 1 / math.sqrt(d_in)
        self.w_query = nn.Parameter(torch.empty(d_in, d_out).uniform_(-bound, bound))
        self.w_key = nn.Parameter(torch.empty(d_in, d_out).uniform_(-bound, bound))
        self.w_value = nn.Parameter(torch.empty(d_in, d_out).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(3, d_out)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        if self.bias is None:
            return self_attention(x, self.w_query, self.w_key, self.w_value)
        queries = x @ self.w_query + self.bias[0]
        keys = x @ self.w_key + self.bias[1]
        values = x @ self.w_value + self.bias[2]
        attn_weights = torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values
