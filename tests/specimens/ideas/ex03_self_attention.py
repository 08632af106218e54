"""Self-attention as a textbook writes it, for tokens of shape (B, S, d_in)."""

import math

import torch
from torch import Tensor, nn


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Mix the values by the softmax of the scaled scores."""
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.size(-1))
    return torch.bmm(torch.softmax(scores, dim=-1), value)


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    """Let each token read all tokens of its text."""
    return attend(x @ w_query, x @ w_key, x @ w_value)


class SelfAttention(nn.Module):
    """Self-attention that keeps its three projections."""

    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """Project each token, and attend."""
        return attend(self.w_query(x), self.w_key(x), self.w_value(x))
