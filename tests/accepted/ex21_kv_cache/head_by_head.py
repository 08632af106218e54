"""Each head with its own rows of the weights, and a mask that is added to the scores.

The contract: "Head h has the features h·D to (h+1)·D − 1, as in exercise 07"
"""

import torch
from torch import nn

from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past, size):
    return torch.ones(past + size, past + size, dtype=torch.bool).tril()[-size:]


class CachedAttention(nn.Module):
    def __init__(self, d_model, num_heads, context_length, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} does not go into num_heads={num_heads}")
        self.width, self.limit = d_model // num_heads, context_length
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache[0].size(2)
        if past + x.size(1) > self.limit:
            raise ValueError(f"{past + x.size(1)} tokens in a context of {self.limit}")
        cos, sin = (each.to(x.device) for each in rotation_table(self.limit, self.width))
        mask = causal_mask_after(past, x.size(1)).to(x.device)
        added = x.new_zeros(mask.shape).masked_fill(~mask, -torch.inf)
        projected = (
            layer(x).split(self.width, dim=-1) for layer in (self.w_query, self.w_key, self.w_value)
        )
        contexts, keys, values = [], [], []
        for head, (q, k, v) in enumerate(zip(*projected)):
            query, key = rotate_pairs(q, cos, sin, past), rotate_pairs(k, cos, sin, past)
            value = v
            if cache is not None:
                key = torch.cat((cache[0][:, head], key), 1)
                value = torch.cat((cache[1][:, head], v), 1)
            scores = torch.baddbmm(added, query, key.transpose(1, 2), alpha=self.width**-0.5)
            contexts.append(scores.softmax(-1) @ value)
            keys.append(key)
            values.append(value)
        cache = torch.stack(keys, dim=1), torch.stack(values, dim=1)
        return self.w_out(torch.cat(contexts, dim=-1)), cache
