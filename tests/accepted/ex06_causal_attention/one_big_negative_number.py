"""A mask of small integers, compared with zero; the lowest number of the dtype as the fill.

The contract: "Its shape, its dtype, what its numbers mean and whether it is saved with the module
are free."
"""

import torch
from torch import nn


class Attention(nn.Module):
    """Scores, mask, softmax, dropout; no projections."""

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, q, k, v, mask):
        root = torch.tensor(float(q.size(-1)), dtype=q.dtype, device=q.device).sqrt()
        scores = torch.bmm(q, k.mT).div(root)
        scores = torch.where(mask == 0, torch.finfo(scores.dtype).min, scores)
        return torch.bmm(self.dropout(nn.Softmax(dim=2)(scores)), v)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.attention = Attention(dropout)
        ones = torch.ones(context_length, context_length, dtype=torch.uint8)
        self.register_buffer("mask", ones.tril())
        self.max_tokens = context_length

    def forward(self, x):
        t = x.size(1)
        if self.max_tokens < t:
            raise ValueError("context_length is %d, but x has %d tokens" % (self.max_tokens, t))
        return self.attention(self.w_query(x), self.w_key(x), self.w_value(x), self.mask[:t, :t])
