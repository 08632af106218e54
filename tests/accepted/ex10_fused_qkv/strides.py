"""Strides of the tensor at hand; a subclass of nn.Linear that knows how to build itself.

The contract: "A new nn.Linear from N to 3E features, which are its `in_features` and
`out_features`, on that device"
"""

import torch
from torch import nn


def _views(qkv, num_heads, tensor_step, head_step, width):
    b, s, _ = qkv.shape
    sb, ss, se = qkv.stride()
    shape, strides = (b, num_heads, s, width), (sb, head_step * se, ss, se)
    start = qkv.storage_offset()
    return tuple(qkv.as_strided(shape, strides, start + i * tensor_step * se) for i in range(3))


def split_qkv_blocks(qkv, num_heads):
    e = qkv.size(-1) // 3
    return _views(qkv, num_heads, e, e // num_heads, e // num_heads)


def split_qkv_per_head(qkv, num_heads):
    d = qkv.size(-1) // 3 // num_heads
    return _views(qkv, num_heads, d, 3 * d, d)


class FusedLinear(nn.Linear):
    @classmethod
    def of(cls, *parts):
        weight = torch.cat([part.weight.detach() for part in parts])
        made = cls(weight.shape[1], weight.shape[0], bias=parts[0].bias is not None)
        made.weight = nn.Parameter(weight)
        if made.bias is not None:
            made.bias = nn.Parameter(torch.cat([part.bias.detach() for part in parts]))
        return made


def fuse(w_query, w_key, w_value):
    return FusedLinear.of(w_query, w_key, w_value)
