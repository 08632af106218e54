"""Leading dimensions folded into one, bmm and baddbmm, and unfolded again.

The contract: "There may be any number of leading dimensions, none included."
"""

import math

import torch
from torch import nn


def attend(q, k, v):
    *leading, S, width = q.shape
    q, k, v = (each.reshape(-1, S, width) for each in (q, k, v))
    empty = torch.zeros(1, 1, 1, dtype=q.dtype, device=q.device)
    scores = torch.baddbmm(empty, q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(width))
    return torch.bmm(torch.softmax(scores, 2), v).reshape(*leading, S, width)


def self_attention(x, w_query, w_key, w_value):
    projected = x.matmul(torch.cat([w_query, w_key, w_value], dim=1))
    return attend(*projected.chunk(3, dim=-1))


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        for name in ("w_query", "w_key", "w_value"):
            self.add_module(name, nn.Linear(d_in, d_out, bias=bias))

    def forward(self, x):
        layers = list(self.children())
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
        return attend(*nn.functional.linear(x, weight, bias).chunk(3, -1))
