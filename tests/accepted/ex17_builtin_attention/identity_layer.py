"""Weights applied to the identity bring out their rows; each head by itself in double precision.

The contract: "Make an nn.MultiheadAttention that computes what this attention computes."
"""

import torch
from torch import nn
from torch.nn import functional as F


def rows(layer):
    """The weight, found by asking what the layer does."""
    bias = 0 if layer.bias is None else layer.bias
    return (layer(torch.eye(layer.in_features)) - bias).T


def to_builtin(attention):
    with torch.no_grad():
        names = ("w_query", "w_key", "w_value")
        blocks = torch.stack([getattr(attention, name).weight for name in names])
        builtin = nn.MultiheadAttention(
            attention.d_model,
            attention.num_heads,
            bias=attention.w_query.bias is not None,
            batch_first=True,
        )
        builtin.in_proj_weight[:] = blocks.flatten(0, 1)
        builtin.out_proj.weight[:] = rows(attention.w_out)
        if builtin.in_proj_bias is not None:
            builtin.in_proj_bias[:] = torch.stack(
                [getattr(attention, name).bias for name in names]
            ).flatten()
            builtin.out_proj.bias[:] = attention.w_out.bias
    return builtin.train()


def builtin_mask(mask):
    return ~mask.clone()


def fused_attention(query, key, value, mask=None):
    if query.dim() > 2:
        leading = query.shape[:-2]
        if mask is not None and mask.dim() > 2:
            masks = mask.expand(*leading, *mask.shape[-2:]).unbind(0)
        else:
            masks = [mask] * len(query)
        parts = zip(query, key, value, masks, strict=True)
        return torch.stack([fused_attention(*part) for part in parts])
    q, k, v = query.double(), key.double(), value.double()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).to(query.dtype)
