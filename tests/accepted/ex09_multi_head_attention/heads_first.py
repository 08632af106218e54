"""Heads in the very first axis: (H, B, T, D) throughout, a large negative number as the mask.

The contract: "one map for each head, zero at hidden keys."
"""

import math

import torch
from torch import nn


class Attention(nn.Module):
    """Scores, mask, softmax, dropout; no projections."""

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, q, k, v, mask):
        scores = torch.matmul(q, k.transpose(-1, -2))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        scores = scores / math.sqrt(q.size(-1))
        attn = self.dropout(torch.softmax(scores, dim=-1))
        return torch.matmul(attn, v), attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if not (d_model / num_heads).is_integer():
            raise ValueError("d_model % num_heads != 0: {} % {}".format(d_model, num_heads))
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = int(d_model / num_heads)
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.attention = Attention(dropout)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def split(self, x):
        return torch.stack(x.split(self.head_dim, dim=2))

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[None]
            elif mask.dim() == 4:
                mask = mask.movedim(1, 0)
        q = self.split(self.w_query(query))
        k = self.split(self.w_key(key))
        v = self.split(self.w_value(value))
        context, attn = self.attention(q, k, v, mask)
        joined = context.permute(1, 2, 0, 3).reshape(query.size(0), query.size(1), self.d_model)
        return self.w_out(joined), attn.transpose(0, 1)
