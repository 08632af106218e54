import math

import torch
from torch import nn
from torch.nn import functional as F


def attend(query, key, value, mask):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores += mask
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def heads(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        samples, tokens, _ = query.shape
        queries, keys, values = self.w_query(query), self.w_key(key), self.w_value(value)
        context, weights = attend(*map(self.heads, (queries, keys, values)), mask)
        context = context.reshape(samples, tokens, self.num_heads * self.head_dim)
        return self.w_out(context), weights
