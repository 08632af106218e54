"""A long chunk is read in blocks of at most W tokens, each with the keys that its window reaches.

The contract: "A text in one call or in parts gives the same outputs, to 1e-5."
"""

import torch
from torch import nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


def window_mask(size, window, past=0):
    mask = torch.zeros(size, past + size, dtype=torch.bool)
    for row in range(size):
        last = past + row
        mask[row, max(0, last - window + 1) : last + 1] = True
    return mask


def keep_last(cache, window):
    return tuple(each[..., -min(window, each.shape[-2]) :, :] for each in cache)


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window, bias=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"heads: {num_heads}, width: {d_model}")
        self.num_heads = num_heads
        self.window = window
        self.w_out, self.w_value, self.w_key, self.w_query = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )

    def forward(self, x, cache=None):
        outputs = []
        for block in x.split(self.window, dim=1):
            output, cache = self._block(block, cache)
            outputs.append(output)
        return torch.cat(outputs, dim=1), cache

    def _block(self, x, cache):
        query, key, value = (
            split_heads(layer(x), self.num_heads)
            for layer in (self.w_query, self.w_key, self.w_value)
        )
        if cache is not None:
            key, value = torch.cat((cache[0], key), 2), torch.cat((cache[1], value), 2)
        mask = window_mask(query.size(2), self.window, key.size(2) - query.size(2))
        context, _ = masked_attention(query, key, value, mask.to(x.device))
        return self.w_out(merge_heads(context)), keep_last((key, value), self.window)
