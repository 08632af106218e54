"""One group after the other: its queries lie one behind the other, as if they were more tokens.

The contract: "query heads 0 and 1 use head 0 of keys and values"
"""

import torch
from torch import nn


def repeat_heads(x, times):
    copies = x.new_empty(x.size(0), x.size(1) * times, x.size(2), x.size(3))
    for start in range(times):
        copies[:, start::times] = x
    return copies


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    total = 0
    for _ in ("keys", "values"):
        total += num_layers * num_kv_heads * head_dim * tokens
    return total


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0: {} % {}".format(d_model, num_heads))
        if num_heads % num_kv_heads != 0:
            raise ValueError("num_heads % num_kv_heads: {} % {}".format(num_heads, num_kv_heads))
        self.groups, self.share = num_kv_heads, num_heads // num_kv_heads
        self.dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, self.groups * self.dim, bias=bias)
        self.w_value = nn.Linear(d_model, self.groups * self.dim, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None):
        b, s, _ = x.shape
        if mask is not None:
            mask = mask.expand(b, self.groups * self.share, s, s)
        queries = self.w_query(x).chunk(self.groups, dim=-1)
        keys, values = (w(x).chunk(self.groups, dim=-1) for w in (self.w_key, self.w_value))
        heads, maps = [], []
        for g in range(self.groups):
            q = queries[g].view(b, s, self.share, self.dim).transpose(1, 2)
            scores = q.flatten(1, 2) @ keys[g].mT * self.dim**-0.5
            scores = scores.view(b, self.share, s, s)
            if mask is not None:
                own = mask[:, g * self.share : (g + 1) * self.share]
                scores = scores + torch.zeros_like(scores).masked_fill(~own, -torch.inf)
            weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
            maps.append(weights)
            heads.append((weights @ values[g][:, None]).transpose(1, 2).flatten(2))
        return self.w_out(torch.cat(heads, dim=-1)), torch.cat(maps, dim=1)
