"""A loop over heads of queries: slices of the weights, and an output that is a sum over heads.

The contract: "Head h has the features h·D to (h+1)·D − 1"
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


def repeat_heads(x, times):
    return torch.stack([head for head in x.unbind(1) for _ in range(times)], dim=1)


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    return math.prod((2, num_layers, num_kv_heads, head_dim, tokens))


def rows(linear, block):
    return linear.weight[block], None if linear.bias is None else linear.bias[block]


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        if num_heads % num_kv_heads:
            raise ValueError(f"num_heads={num_heads}, num_kv_heads={num_kv_heads}")
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model}, num_heads={num_heads}")
        self.num_heads, self.each = num_heads, num_heads // num_kv_heads
        self.head_dim = d_model // num_heads
        # the order in which they are made is nobody's business
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model // self.each, bias=bias)
        self.w_key = nn.Linear(d_model, d_model // self.each, bias=bias)
        self.w_query = nn.Linear(d_model, d_model, bias=bias)

    def block(self, at):
        return slice(at * self.head_dim, (at + 1) * self.head_dim)

    def forward(self, x, mask=None):
        output, maps = 0, []
        for head in range(self.num_heads):
            own, shared = self.block(head), self.block(head // self.each)
            q, k, v = (
                F.linear(x, *rows(layer, at))
                for layer, at in ((self.w_query, own), (self.w_key, shared), (self.w_value, shared))
            )
            scores = torch.bmm(q, k.mT) / math.sqrt(self.head_dim)
            if mask is not None:
                keep = mask if mask.dim() == 2 else mask[:, head if mask.size(1) > 1 else 0]
                scores = torch.where(keep, scores, -torch.inf)
            maps.append(torch.softmax(scores, -1))
            output = output + maps[-1] @ v @ self.w_out.weight[:, own].T
        if self.w_out.bias is not None:
            output = output + self.w_out.bias
        return output, torch.stack(maps, dim=1)
