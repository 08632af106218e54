"""One token after the other, each with a slice of keys and values; no mask is used for attention.

The contract: "each token attends to the last W tokens, itself included."
"""

import math

import torch
from torch import nn

from .ex07_heads import merge_heads, split_heads


def window_mask(size, window, past=0):
    rows = []
    for t in range(past, past + size):
        row = [s <= t and s > t - window for s in range(past + size)]
        rows.append(row)
    return torch.tensor(rows)


def keep_last(cache, window):
    keys, values = cache
    if keys.shape[2] <= window:
        return keys, values
    return keys[:, :, -window:], values[:, :, -window:]


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window, bias=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} features, {num_heads} heads")
        self.num_heads = num_heads
        self.window = window
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, cache=None):
        keys = split_heads(self.w_key(x), self.num_heads)
        values = split_heads(self.w_value(x), self.num_heads)
        queries = split_heads(self.w_query(x), self.num_heads)
        past = 0
        if cache is not None:
            past = cache[0].shape[2]
            keys = torch.cat([cache[0], keys], dim=2)
            values = torch.cat([cache[1], values], dim=2)
        outputs = []
        for t in range(x.shape[1]):
            start = max(0, past + t + 1 - self.window)
            near_keys = keys[:, :, start : past + t + 1]
            near_values = values[:, :, start : past + t + 1]
            scores = queries[:, :, t : t + 1] @ near_keys.transpose(2, 3)
            weights = torch.softmax(scores / math.sqrt(scores.new_tensor(keys.shape[-1])), dim=-1)
            outputs.append(weights @ near_values)
        output = self.w_out(merge_heads(torch.cat(outputs, dim=2)))
        return output, keep_last((keys, values), self.window)
