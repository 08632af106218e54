"""One reshape to five dimensions and one permute; the rows below one another by vstack.

The contract: "A tuple (query, key, value), each (B, H, S, D)."
"""

import torch
from torch import nn


def split_qkv_blocks(qkv, num_heads):
    b, s, w = qkv.shape
    return qkv.reshape(b, s, 3, num_heads, w // (3 * num_heads)).permute(2, 0, 3, 1, 4).unbind(0)


def split_qkv_per_head(qkv, num_heads):
    b, s, w = qkv.shape
    q, k, v = qkv.reshape(b, s, num_heads, 3, w // (3 * num_heads)).permute(3, 0, 2, 1, 4)
    return q, k, v


def fuse(w_query, w_key, w_value):
    has_bias = w_query.bias is not None
    layer = nn.Linear(
        w_query.weight.size(1),
        3 * w_query.weight.size(0),
        bias=has_bias,
        device=w_query.weight.device,
    )
    with torch.no_grad():
        layer.weight.copy_(torch.vstack((w_query.weight, w_key.weight, w_value.weight)))
        if has_bias:
            layer.bias.copy_(torch.hstack((w_query.bias, w_key.bias, w_value.bias)))
    return layer
