"""Heads folded into the batch: (B·H, T, D), baddbmm, and masks repeated for each head.

The contract: "one for each sample, the same for all of its heads"
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"cannot share {d_model} features among {num_heads} heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scale = self.head_dim**-0.5
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def _fold(self, x):
        b, s, _ = x.size()
        x = x.contiguous().view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
        return x.reshape(b * self.num_heads, s, self.head_dim)

    def _unfold(self, x):
        _, s, _ = x.size()
        return (
            x.view(-1, self.num_heads, s, self.head_dim)
            .transpose(1, 2)
            .reshape(-1, s, self.d_model)
        )

    def _additive(self, mask, b, t, s, like):
        if mask.dim() == 2:
            mask = mask.expand(b, t, s)
        if mask.dim() == 3:
            mask = mask.expand(b, t, s).repeat_interleave(self.num_heads, dim=0)
        else:
            mask = mask.expand(b, self.num_heads, t, s).flatten(0, 1)
        return (1.0 - mask.to(like.dtype)) * torch.finfo(like.dtype).min

    def forward(self, query, key, value, mask=None):
        b, t, _ = query.size()
        s = key.size(1)
        q, k, v = (
            self._fold(self.w_query(query)),
            self._fold(self.w_key(key)),
            self._fold(self.w_value(value)),
        )
        start = q.new_zeros(b * self.num_heads, t, s)
        scores = torch.baddbmm(start, q, k.transpose(1, 2), alpha=self.scale)
        if mask is not None:
            scores += self._additive(mask, b, t, s, scores)
        weights = torch.log_softmax(scores, dim=2).exp()
        output = self.w_out(self._unfold(torch.bmm(self.drop(weights), v)))
        return output, weights.view(b, self.num_heads, t, s)
