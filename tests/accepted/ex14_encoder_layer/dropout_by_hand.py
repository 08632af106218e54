"""Dropout from random numbers, with all attention in one class that knows its training mode.

The contract: "how the layer calls them is free"
"""

import torch
from torch import nn

from .ex12_layer_norm import LayerNorm


class Drop(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.keep = 1.0 - p

    def forward(self, x):
        if not self.training or self.keep == 1:
            return x
        if self.keep == 0:
            return torch.zeros_like(x)
        return x * torch.bernoulli(torch.full_like(x, self.keep)) / self.keep


class HeadByHead(nn.Module):
    def __init__(self, e, h, drop):
        super().__init__()
        self.w_out = nn.Linear(e, e)
        self.w_value = nn.Linear(e, e)
        self.w_key = nn.Linear(e, e)
        self.w_query = nn.Linear(e, e)
        self.d = e // h
        self.drop = drop

    def forward(self, x, mask):
        outputs = []
        queries, keys, values = self.w_query(x), self.w_key(x), self.w_value(x)
        for h, (q, k, v) in enumerate(
            zip(*(t.split(self.d, dim=-1) for t in (queries, keys, values)))
        ):
            scores = torch.bmm(q / self.d**0.5, k.transpose(1, 2))
            if mask is not None:
                seen = mask if mask.dim() < 4 else mask[:, min(h, mask.size(1) - 1)]
                scores = scores + torch.zeros_like(scores).masked_fill(~seen, -torch.inf)
            outputs.append(torch.bmm(self.drop(scores.softmax(2)), v))
        return self.w_out(torch.cat(outputs, dim=2))


class Network(nn.Module):
    def __init__(self, e, f, drop):
        super().__init__()
        self.linear1, self.linear2, self.drop = nn.Linear(e, f), nn.Linear(f, e), drop

    def forward(self, x):
        return self.linear2(self.drop(self.linear1(x)).clamp(min=0))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("%d features, %d heads" % (d_model, num_heads))
        self.drop = Drop(dropout)
        self.feed_forward = Network(d_model, d_hidden, self.drop)
        self.attention = HeadByHead(d_model, num_heads, self.drop)
        self.norm2 = LayerNorm(d_model)
        self.norm1 = LayerNorm(d_model)

    def forward(self, x, mask=None):
        a = self.attention(x, mask)
        b = self.norm1(torch.add(self.drop(a), x))
        c = self.feed_forward(b)
        return self.norm2(torch.add(self.drop(c), b))
