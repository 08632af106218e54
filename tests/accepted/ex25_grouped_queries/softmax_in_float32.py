"""Keys and values expanded to their group, and weights made in float32 and cast back.

The contract: "They have the dtype of the output."
"""

import torch
import torch.nn.functional as F
from torch import nn


def repeat_heads(x, times):
    b, g, s, d = x.shape
    return x.unsqueeze(2).expand(b, g, times, s, d).reshape(b, g * times, s, d)


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    per_token = num_kv_heads * head_dim * num_layers
    return tokens * (per_token + per_token)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        for number, parts in ((d_model, num_heads), (num_heads, num_kv_heads)):
            if number % parts:
                raise ValueError(f"{number} cannot be shared among {parts}")
        self.head_dim, self.heads, self.kv_heads = d_model // num_heads, num_heads, num_kv_heads
        self.w_query = nn.Linear(d_model, num_heads * self.head_dim, bias)
        self.w_key = nn.Linear(d_model, num_kv_heads * self.head_dim, bias)
        self.w_value = nn.Linear(d_model, num_kv_heads * self.head_dim, bias)
        self.w_out = nn.Linear(num_heads * self.head_dim, d_model, bias)

    def forward(self, x, mask=None):
        b, s, _ = x.shape
        q = self.w_query(x).view(b, s, self.heads, self.head_dim).transpose(1, 2)
        k = self.w_key(x).view(b, s, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.w_value(x).view(b, s, self.kv_heads, self.head_dim).transpose(1, 2)
        times = self.heads // self.kv_heads
        k, v = repeat_heads(k, times), repeat_heads(v, times)
        scores = (torch.matmul(q, k.transpose(2, 3)) / self.head_dim**0.5).float()
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), float("-inf"))
        weights = F.softmax(scores, dim=-1).to(q.dtype)
        out = torch.matmul(weights, v).transpose(1, 2).reshape(b, s, -1)
        return self.w_out(out), weights
