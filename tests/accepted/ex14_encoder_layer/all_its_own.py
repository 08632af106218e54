"""Imports nothing of the earlier exercises: attention, network and norm are written here.

The contract: "how the layer calls them is free"
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Norm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(width))
        self.b_2 = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        centred = x - mean
        return (
            self.a_2 * centred * torch.rsqrt((centred**2).mean(-1, keepdim=True) + self.eps)
            + self.b_2
        )


class SelfAttention(nn.Module):
    def __init__(self, d_model, num_heads, p):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} cannot be split into num_heads={num_heads}")
        self.h = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model)
        self.w_value = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p)

    def forward(self, x, mask):
        b, s, e = x.shape
        d = e // self.h
        q = self.w_query(x).view(b, s, self.h, d).permute(0, 2, 1, 3)
        k = self.w_key(x).view(b, s, self.h, d).permute(0, 2, 3, 1)
        v = self.w_value(x).view(b, s, self.h, d).permute(0, 2, 1, 3)
        scores = torch.matmul(q, k) / math.sqrt(d)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            scores = scores.masked_fill(mask == 0, float("-inf"))
        p = self.drop(F.softmax(scores, dim=-1))
        return self.w_out(torch.matmul(p, v).permute(0, 2, 1, 3).contiguous().view(b, s, e))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, p):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.linear2(self.drop(F.relu(self.linear1(x))))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attention = SelfAttention(d_model, num_heads, dropout)
        self.norm1 = Norm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = Norm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        y = self.norm1(x + self.drop(self.attention(x, mask)))
        return self.norm2(y + self.drop(self.feed_forward(y)))
