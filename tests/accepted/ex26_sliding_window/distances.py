"""The mask from distances between positions; einsum, and an additive penalty for what is hidden.

The contract: "Views and copies are both right."
"""

import torch
from torch import nn


def window_mask(size, window, past=0):
    queries = torch.arange(past, past + size)[:, None]
    distance = queries - torch.arange(past + size)[None, :]
    return (distance >= 0) & (distance < window)


def keep_last(cache, window):
    return tuple(each[:, :, max(0, each.size(2) - window) :].clone() for each in cache)


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be divided by num_heads={num_heads}")
        self.heads, self.width, self.window = num_heads, d_model // num_heads, window
        for name in ("w_query", "w_key", "w_value", "w_out"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q, k, v = (
            layer(x).view(b, t, self.heads, self.width).permute(0, 2, 1, 3)
            for layer in (self.w_query, self.w_key, self.w_value)
        )
        if cache is not None:
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v), strict=True))
        penalty = torch.zeros(t, k.size(2), dtype=x.dtype)
        penalty[~window_mask(t, self.window, k.size(2) - t)] = -torch.inf
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / self.width**0.5
        weights = torch.softmax(scores + penalty.to(x.device), dim=-1)
        context = torch.einsum("bhts,bhsd->bthd", weights, v).reshape(b, t, e)
        return self.w_out(context), keep_last((k, v), self.window)
