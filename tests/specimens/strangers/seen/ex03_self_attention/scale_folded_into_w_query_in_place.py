"""Exercise 03: self-attention with weights that can be learned."""

import math

from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    # scaling the small matrix is cheaper than scaling all S * S scores
    w_query *= 1 / math.sqrt(w_query.shape[1])
    scores = (x @ w_query) @ (x @ w_key).transpose(-1, -2)
    return scores.softmax(-1) @ (x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(d_out)
        self.w_query = nn.Linear(in_features=d_in, out_features=d_out, bias=bias)
        self.w_key = nn.Linear(in_features=d_in, out_features=d_out, bias=bias)
        self.w_value = nn.Linear(in_features=d_in, out_features=d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        query = self.w_query(x) * self.scale
        scores = query @ self.w_key(x).transpose(-1, -2)
        return scores.softmax(-1) @ self.w_value(x)
