"""A first call has a cache of no tokens, so that every call is alike; one layer of stacked weights.

The contract: "cache: what the call before has returned; None for the first call."
"""

import torch
from torch import nn
from torch.nn import functional as F


def window_mask(size, window, past=0):
    ends = torch.arange(past + 1, past + size + 1).unsqueeze(1)
    keys = torch.arange(past + size)
    return keys.lt(ends).logical_and(keys.ge(ends - window))


def keep_last(cache, window):
    both = torch.stack(cache)
    return both[..., -window:, :].unbind()


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window, bias=False):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError(f"no {num_heads} equal heads in {d_model} features")
        self.num_heads = num_heads
        self.window = window
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, cache=None):
        layers = self.w_query, self.w_key, self.w_value
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
        samples, tokens, width = x.shape
        parts = F.linear(x, weight, bias).reshape(samples, tokens, 3, self.num_heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        if cache is None:
            cache = key[:, :, :0], value[:, :, :0]
        key, value = torch.cat((cache[0], key), -2), torch.cat((cache[1], value), -2)
        scores = (query * query.size(-1) ** -0.5).matmul(key.mT)
        hidden = ~window_mask(tokens, self.window, key.size(-2) - tokens)
        weights = scores.masked_fill(hidden.to(x.device), float("-inf")).softmax(-1)
        context = (weights @ value).permute(0, 2, 1, 3).reshape(samples, tokens, width)
        return self.w_out(context), keep_last((key, value), self.window)
