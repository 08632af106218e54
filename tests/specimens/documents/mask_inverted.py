import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0, "the heads must divide the width"
        self.d_model, self.num_heads = d_model, num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def heads(self, x):
        return x.view(x.shape[0], -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        samples = query.shape[0]
        queries, keys = self.heads(self.w_query(query)), self.heads(self.w_key(key))
        values = self.heads(self.w_value(value))
        scores = torch.matmul(queries, keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 1, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, values).transpose(1, 2).contiguous()
        return self.w_out(context.view(samples, -1, self.d_model)), weights
