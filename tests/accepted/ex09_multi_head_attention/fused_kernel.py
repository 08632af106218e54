"""PyTorch's fused attention for the output; the weights are computed beside it.

The contract: "In training they may be those before dropout or those after it."
"""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.dropout = dropout
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def heads(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q = self.heads(self.w_query(query))
        k = self.heads(self.w_key(key))
        v = self.heads(self.w_value(value))
        allowed = None
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.view(mask.size(0), 1, mask.size(1), mask.size(2))
            allowed = mask.expand(len(q), self.num_heads, q.size(2), k.size(2))
        rate = self.dropout if self.training else 0.0
        context = scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=rate)
        with torch.no_grad():  # for looking at, not for learning
            scores = q @ k.transpose(2, 3) / self.head_dim**0.5
            if allowed is not None:
                scores.masked_fill_(allowed.logical_not(), -torch.inf)
            weights = scores.softmax(3)
        batch, _, length, _ = context.shape
        merged = context.permute(0, 2, 1, 3).contiguous().view(batch, length, self.d_model)
        return self.w_out(merged), weights
