"""As model libraries write it: a head that is needed once is not copied, others are expanded.

The contract: "It may share memory with x."
"""

import torch
from torch import nn


def repeat_heads(x, times):
    if times == 1:
        return x
    batch, heads, length, width = x.shape
    x = x[:, :, None, :, :].expand(batch, heads, times, length, width)
    return x.reshape(batch, heads * times, length, width)


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    return num_layers * 2 * tokens * num_kv_heads * head_dim


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"hidden_size {d_model}, num_attention_heads {num_heads}")
        if num_heads % num_kv_heads:
            raise ValueError(f"num_attention_heads {num_heads}, num_key_value_heads {num_kv_heads}")
        self.head_dim = d_model // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.scaling = self.head_dim**-0.5
        self.w_query = nn.Linear(d_model, num_heads * self.head_dim, bias=bias)
        self.w_key = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=bias)
        self.w_value = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=bias)
        self.w_out = nn.Linear(num_heads * self.head_dim, d_model, bias=bias)

    def forward(self, x, mask=None):
        shape = (*x.shape[:-1], -1, self.head_dim)
        q = self.w_query(x).view(shape).transpose(1, 2)
        k = repeat_heads(self.w_key(x).view(shape).transpose(1, 2), self.num_key_value_groups)
        v = repeat_heads(self.w_value(x).view(shape).transpose(1, 2), self.num_key_value_groups)
        weights = torch.matmul(q, k.transpose(2, 3)) * self.scaling
        if mask is not None:
            weights = weights.masked_fill(~mask, torch.finfo(x.dtype).min)
        weights = nn.functional.softmax(weights, dim=-1)
        output = torch.matmul(weights, v).transpose(1, 2).reshape(*x.shape[:-1], -1)
        return self.w_out(output.contiguous()), weights
