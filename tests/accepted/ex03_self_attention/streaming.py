"""Key by key with a running maximum, as kernels do it that never hold all scores.

The contract: "for each token one mixture of all values, right for scores of up to ±1,000."
"""

import torch
from torch import nn


def stream(q, k, v):
    q = q / q.shape[-1] ** 0.25
    k = k / k.shape[-1] ** 0.25
    top = torch.full_like(q[..., :1], float("-inf"))
    total = torch.zeros_like(top)
    mixed = torch.zeros_like(q)
    for key, value in zip(k.split(1, dim=-2), v.split(1, dim=-2)):
        score = (q * key).sum(-1, keepdim=True)
        higher = torch.maximum(top, score)
        fade, power = torch.exp(top - higher), torch.exp(score - higher)
        total, mixed, top = total * fade + power, mixed * fade + power * value, higher
    return mixed / total


def self_attention(x, w_query, w_key, w_value):
    return stream(x @ w_query, x @ w_key, x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        return stream(self.w_query(x), self.w_key(x), self.w_value(x))
