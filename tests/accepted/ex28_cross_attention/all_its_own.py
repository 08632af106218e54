"""Imports nothing of the earlier exercises: attention, network, norm and mask are written here.

The contract: "The results count, not how the layer calls its parts."
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
        centred = x - x.mean(-1, keepdim=True)
        scale = torch.rsqrt((centred**2).mean(-1, keepdim=True) + self.eps)
        return self.a_2 * centred * scale + self.b_2


class Attention(nn.Module):
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

    def forward(self, x, source, mask):
        b, t, e = x.shape
        s, d = source.size(1), e // self.h
        q = self.w_query(x).view(b, t, self.h, d).permute(0, 2, 1, 3)
        k = self.w_key(source).view(b, s, self.h, d).permute(0, 2, 3, 1)
        v = self.w_value(source).view(b, s, self.h, d).permute(0, 2, 1, 3)
        scores = torch.matmul(q, k) / math.sqrt(d)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            scores = scores.masked_fill(mask == 0, float("-inf"))
        p = self.drop(F.softmax(scores, dim=-1))
        return self.w_out(torch.matmul(p, v).permute(0, 2, 1, 3).contiguous().view(b, t, e))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, p):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.p = p

    def forward(self, x):
        return self.linear2(F.dropout(F.relu(self.linear1(x)), self.p, self.training))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.self_attention = Attention(d_model, num_heads, dropout)
        self.cross_attention = Attention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm1, self.norm2, self.norm3 = (Norm(d_model) for _ in range(3))
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(3))

    def forward(self, x, memory, memory_mask=None):
        ahead = torch.ones(x.size(1), x.size(1), device=x.device).triu(1) == 1
        x = self.norm1(x + self.drops[0](self.self_attention(x, x, ~ahead)))
        x = self.norm2(x + self.drops[1](self.cross_attention(x, memory, memory_mask)))
        return self.norm3(x + self.drops[2](self.feed_forward(x)))
