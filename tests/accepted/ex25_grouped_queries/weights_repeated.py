"""The weights of keys and values are repeated, not their heads; then it is multi-head attention.

The contract: "G = H is multi-head attention"
"""

import torch
from torch import nn
from torch.nn import functional as F

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


def repeat_heads(x, times):
    index = torch.arange(x.size(1) * times, device=x.device) // times
    return x.index_select(1, index)


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    return sum(2 * num_kv_heads * head_dim * tokens for _ in range(num_layers))


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        for whole, parts in ((d_model, num_heads), (num_heads, num_kv_heads)):
            if whole % parts:
                raise ValueError(f"{whole} is not divisible by {parts}")
        self.H, self.G = num_heads, num_kv_heads
        narrow = d_model * num_kv_heads // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, narrow, bias=bias)
        self.w_value = nn.Linear(d_model, narrow, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def unrolled(self, rows):
        return rows.unflatten(0, (self.G, -1)).repeat_interleave(self.H // self.G, 0).flatten(0, 1)

    def wide(self, layer, x):
        bias = None if layer.bias is None else self.unrolled(layer.bias)
        return split_heads(F.linear(x, self.unrolled(layer.weight), bias), self.H)

    def forward(self, x, mask=None):
        q = split_heads(self.w_query(x), self.H)
        context, weights = masked_attention(
            q, self.wide(self.w_key, x), self.wide(self.w_value, x), mask
        )
        return self.w_out(merge_heads(context)), weights
