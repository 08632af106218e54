"""PyTorch's fused kernel for the output; the weights are computed beside it.

The contract: "Project, split into heads, repeat those of keys and values, attend, merge, project."
"""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


def repeat_heads(x, times):
    return torch.repeat_interleave(x, times, -3)


def cache_size(num_layers, num_kv_heads, head_dim, tokens):
    keys = num_kv_heads * head_dim * tokens
    values = keys
    return num_layers * (keys + values)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, bias=False):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError("%d heads, %d features" % (num_heads, d_model))
        if num_heads // num_kv_heads * num_kv_heads != num_heads:
            raise ValueError("%d of keys, %d of queries" % (num_kv_heads, num_heads))
        self.heads, self.kv_heads, self.width = num_heads, num_kv_heads, d_model // num_heads
        for name, size in (("query", num_heads), ("key", num_kv_heads), ("value", num_kv_heads)):
            setattr(self, f"w_{name}", nn.Linear(d_model, size * self.width, bias=bias))
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def split(self, x, heads):
        return x.view(x.size(0), x.size(1), heads, self.width).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        q = self.split(self.w_query(x), self.heads)
        k = repeat_heads(self.split(self.w_key(x), self.kv_heads), self.heads // self.kv_heads)
        v = repeat_heads(self.split(self.w_value(x), self.kv_heads), self.heads // self.kv_heads)
        context = scaled_dot_product_attention(q, k, v, attn_mask=mask)
        with torch.no_grad():  # for looking at, not for learning
            scores = q @ k.transpose(2, 3) / self.width**0.5
            if mask is not None:
                scores.masked_fill_(mask.logical_not(), -torch.inf)
            weights = scores.softmax(3)
        return self.w_out(context.permute(0, 2, 1, 3).reshape(x.shape)), weights
