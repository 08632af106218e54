"""A call with many tokens is a loop over calls with one: its own cache does the masking.

The contract: "counting goes on from call to call"
"""

import torch
from torch import nn

from .ex04_scaled_attention import scaled_dot_product_attention
from .ex07_heads import merge_heads, split_heads
from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past, size):
    mask = torch.zeros(size, past + size, dtype=torch.bool)
    for row in range(size):
        mask[row, : past + row + 1] = True
    return mask


class CachedAttention(nn.Module):
    def __init__(self, d_model, num_heads, context_length, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} does not go into num_heads={num_heads}")
        self.num_heads, self.context_length = num_heads, context_length
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.cos, self.sin = (
            nn.Parameter(each, requires_grad=False)
            for each in rotation_table(context_length, d_model // num_heads)
        )

    def forward(self, x, cache=None):
        past = cache[0].size(2) if cache else 0
        if past + x.size(1) > self.context_length:
            raise ValueError(f"{past + x.size(1)} tokens: at most {self.context_length}")
        outputs = []
        for token in x.split(1, dim=1):
            output, cache = self.step(token, cache)
            outputs.append(output)
        return torch.cat(outputs, dim=1), cache

    def step(self, token, cache):
        query, key, value = (
            split_heads(layer(token), self.num_heads)
            for layer in (self.w_query, self.w_key, self.w_value)
        )
        place = cache[0].size(2) if cache else 0
        query, key = (rotate_pairs(each, self.cos, self.sin, place) for each in (query, key))
        if cache:
            key, value = torch.cat((cache[0], key), 2), torch.cat((cache[1], value), 2)
        context, _ = scaled_dot_product_attention(query, key, value)
        return self.w_out(merge_heads(context)), (key, value)
