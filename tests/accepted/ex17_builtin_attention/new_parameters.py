"""Parameters replaced by new ones; attention written out, without the fused function.

The contract: "Its parameters are copies and can be trained"
"""

import math

import torch
from torch import nn


def packed(tensors):
    return nn.Parameter(torch.cat(tensors).detach().clone())


def to_builtin(attention):
    has_bias = attention.w_value.bias is not None
    new = nn.MultiheadAttention(
        attention.num_heads * attention.head_dim,
        attention.num_heads,
        bias=has_bias,
        batch_first=True,
    )
    q, k, v, o = attention.w_query, attention.w_key, attention.w_value, attention.w_out
    new.in_proj_weight = packed([q.weight, k.weight, v.weight])
    new.out_proj.weight = packed([o.weight])
    if has_bias:
        new.in_proj_bias = packed([q.bias, k.bias, v.bias])
        new.out_proj.bias = packed([o.bias])
    return new.eval()


def builtin_mask(mask):
    return mask == False  # noqa: E712


def fused_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.matmul(torch.softmax(scores, dim=-1), value)
