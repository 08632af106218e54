"""Exercise 03: self-attention with weights that can be learned."""

import math

from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    d_k = x.shape[-1]
    queries = x @ w_query
    keys = x @ w_key
    values = x @ w_value
    attn_scores = queries @ keys.transpose(-2, -1)
    attn_weights = nn.functional.softmax(attn_scores / math.sqrt(d_k), dim=-1)
    return attn_weights @ values


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.w_query = nn.Linear(d_in, d_out, bias)
        self.w_key = nn.Linear(d_in, d_out, bias)
        self.w_value = nn.Linear(d_in, d_out, bias)

    def forward(self, x: Tensor) -> Tensor:
        queries = self.w_query(x)
        keys = self.w_key(x)
        values = self.w_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)
        attn_weights = nn.functional.softmax(attn_scores / math.sqrt(self.d_out), dim=-1)
        return attn_weights @ values
