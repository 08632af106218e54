"""A store for all tokens so far is made in every call, and old and new ones are written into it.

The contract: "cache: keys and values, each (B, H, P + T, D), of the P tokens before and the T new
ones in this order."
"""

import torch
from torch import nn

from .ex05_causal_masks import causal_mask, masked_attention
from .ex07_heads import merge_heads, split_heads
from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past, size):
    return causal_mask(past + size)[past:]


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

    def forward(self, x, cache=None):
        past = cache[0].size(2) if cache else 0
        total = past + x.size(1)
        if total > self.context_length:
            raise ValueError(f"no room for {total} tokens in {self.context_length}")
        table = rotation_table(total, x.size(2) // self.num_heads)  # made when it is needed
        cos, sin = (each.to(x.device)[past:] for each in table)  # the rows of the new tokens
        query, key = (
            rotate_pairs(split_heads(layer(x), self.num_heads), cos, sin)
            for layer in (self.w_query, self.w_key)
        )
        value = split_heads(self.w_value(x), self.num_heads)
        keys, values = (
            self.stored(*each, past) for each in zip(cache or (None, None), (key, value))
        )
        mask = causal_mask_after(past, x.size(1)).to(x.device)
        context, _ = masked_attention(query, keys, values, mask)
        return self.w_out(merge_heads(context)), (keys, values)

    def stored(self, old, new, past):
        B, H, T, D = new.shape
        store = new.new_empty(B, H, past + T, D)
        if past:
            store[:, :, :past] = old
        store[:, :, past:] = new
        return store
