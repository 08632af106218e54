"""Groups in a dimension of their own: nothing is repeated, einsum letters all the way.

The contract: "Neighbouring heads share"
"""

import torch
from torch import nn


def repeat_heads(x, times):
    return x.unsqueeze(2).expand(-1, -1, times, -1, -1).flatten(1, 2)


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    per_token = 2 * num_kv_heads * head_dim
    return tokens * num_layers * per_token


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        self.D, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model=} cannot be split into {num_heads=}")
        self.R, rest = divmod(num_heads, num_kv_heads)
        if rest:
            raise ValueError(f"{num_heads=} cannot share {num_kv_heads=}")
        self.G = num_kv_heads
        self.w_query = nn.Linear(d_model, d_model, bias)
        self.w_key = nn.Linear(d_model, self.G * self.D, bias)
        self.w_value = nn.Linear(d_model, self.G * self.D, bias)
        self.w_out = nn.Linear(d_model, d_model, bias)

    def forward(self, x, mask=None):
        q = self.w_query(x).unflatten(-1, (self.G, self.R, self.D))
        k = self.w_key(x).unflatten(-1, (self.G, self.D))
        v = self.w_value(x).unflatten(-1, (self.G, self.D))
        scores = torch.einsum("btgrd,bsgd->bgrts", q, k) / self.D**0.5
        if mask is not None:
            full = mask.expand(len(x), self.G * self.R, x.size(1), x.size(1))
            scores = scores.masked_fill(~full.unflatten(1, (self.G, self.R)), -torch.inf)
        weights = scores.softmax(-1)
        context = torch.einsum("bgrts,bsgd->btgrd", weights, v)
        return self.w_out(context.flatten(2)), weights.flatten(1, 2)
