"""Exercise 03: self-attention with weights that can be learned."""

import torch
from torch import Tensor, nn


def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
    weights = scores.softmax(dim=-2)
    return torch.einsum("...qk,...kd->...qd", weights, v)


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    q = torch.einsum("...si,io->...so", x, w_query)
    k = torch.einsum("...si,io->...so", x, w_key)
    v = torch.einsum("...si,io->...so", x, w_value)
    return _attend(q, k, v)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        return _attend(self.w_query(x), self.w_key(x), self.w_value(x))
