"""Projections viewed as heads, and weights made in float32 and cast back.

The contract: "output: (B, T, E), for the new tokens, in the dtype of x."
"""

import torch
import torch.nn.functional as F
from torch import nn


def window_mask(size, window, past=0):
    rows = torch.arange(past, past + size)[:, None]
    columns = torch.arange(past + size)[None, :]
    distance = rows - columns
    return (distance >= 0) & (distance < window)


def keep_last(cache, window):
    keys, values = cache
    return keys[:, :, -window:], values[:, :, -window:]


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window, bias=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share a width of {d_model}")
        self.heads, self.window = num_heads, window
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def _heads(self, x):
        b, t, e = x.shape
        return x.view(b, t, self.heads, e // self.heads).transpose(1, 2)

    def forward(self, x, cache=None):
        q, k, v = (self._heads(layer(x)) for layer in (self.w_query, self.w_key, self.w_value))
        past = 0
        if cache is not None:
            past = cache[0].shape[2]
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        seen = window_mask(x.shape[1], self.window, past).to(x.device)
        scores = (torch.matmul(q, k.transpose(2, 3)) / q.shape[-1] ** 0.5).float()
        scores = scores.masked_fill(~seen, float("-inf"))
        weights = F.softmax(scores, dim=-1).type_as(x)
        out = torch.matmul(weights, v).transpose(1, 2).reshape(x.shape)
        return self.w_out(out), keep_last((k, v), self.window)
