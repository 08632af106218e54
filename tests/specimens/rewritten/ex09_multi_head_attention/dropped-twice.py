"""Multi-head attention without any helper from the exercises before."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads

        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, T, E = query.shape
        S = key.shape[1]
        H, D = self.num_heads, self.head_dim

        q = self.w_query(query).view(B, T, H, D).transpose(1, 2)
        k = self.w_key(key).view(B, S, H, D).transpose(1, 2)
        v = self.w_value(value).view(B, S, H, D).transpose(1, 2)

        scores = q @ k.transpose(2, 3) / math.sqrt(D)
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            scores = scores.masked_fill(~mask, float("-inf"))

        weights = F.softmax(scores, dim=-1)
        weights = self.attn_dropout(weights)

        context = torch.matmul(self.attn_dropout(weights), v)
        context = context.transpose(1, 2).contiguous().view(B, T, E)
        return self.w_out(context), weights
