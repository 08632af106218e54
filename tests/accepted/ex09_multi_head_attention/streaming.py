"""One key after the other with a running maximum, as fused kernels do; weights at the end.

The contract: "one map for each head, zero at hidden keys."
"""

import torch
from torch import nn

from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} does not divide {d_model}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.w_query(query), self.num_heads) * self.head_dim**-0.5
        k = split_heads(self.w_key(key), self.num_heads)
        v = split_heads(self.w_value(value), self.num_heads)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k)
        if mask is not None:
            keep = mask[:, None] if mask.dim() == 3 else mask
            scores = scores.masked_fill(~keep, float("-inf"))
        top = scores.new_full(scores.shape[:-1], -1e30)
        total = torch.zeros_like(top)
        context = torch.zeros_like(q)
        for s in range(k.size(2)):
            score = scores[..., s]
            higher = torch.maximum(top, score)
            power, fade = (score - higher).exp(), (top - higher).exp()
            total = total * fade + power
            context = context * fade[..., None] + self.dropout(power)[..., None] * v[:, :, None, s]
            top = higher
        weights = (scores - top[..., None]).exp() / total[..., None]
        return self.w_out(merge_heads(context / total[..., None])), weights
