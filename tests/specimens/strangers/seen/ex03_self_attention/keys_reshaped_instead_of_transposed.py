"""Exercise 03: self-attention with weights that can be learned."""

import math

from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    q = x @ w_query
    k = x @ w_key
    v = x @ w_value
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    return scores.softmax(dim=-1) @ v


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.d_in = d_in
        self.d_out = d_out
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def _scores(self, q: Tensor, k: Tensor) -> Tensor:
        *lead, num_tokens, _ = k.shape
        k_t = k.reshape(*lead, self.d_out, num_tokens)
        return (q @ k_t) / math.sqrt(self.d_out)

    def forward(self, x: Tensor) -> Tensor:
        q = self.w_query(x)
        k = self.w_key(x)
        v = self.w_value(x)
        weights = self._scores(q, k).softmax(dim=-1)
        return weights @ v
