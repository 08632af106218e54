"""Slices by arithmetic, in lists; rows written into .data, third by third.

The contract: "first D of its query, then D of its key, then D of its value."
"""

import torch
from torch import nn


def split_qkv_blocks(qkv, num_heads):
    E = qkv.shape[-1] // 3
    D = E // num_heads
    out = []
    for start in (0, E, 2 * E):
        heads = [qkv[:, :, start + h * D : start + (h + 1) * D] for h in range(num_heads)]
        out.append(torch.stack(heads, dim=1))
    return out


def split_qkv_per_head(qkv, num_heads):
    D = qkv.shape[-1] // num_heads // 3
    out = []
    for i in range(3):
        starts = [(3 * h + i) * D for h in range(num_heads)]
        out.append(torch.stack([qkv[:, :, s : s + D] for s in starts], dim=1))
    return out


def fuse(w_query, w_key, w_value):
    parts = [w_query, w_key, w_value]
    E = w_query.out_features
    total = nn.Linear(w_query.in_features, E * 3, bias=w_query.bias is not None)
    total = total.to(w_query.weight.device)
    for i, part in enumerate(parts):
        total.weight.data[i * E : (i + 1) * E] = part.weight.data
        if part.bias is not None:
            total.bias.data[i * E : (i + 1) * E] = part.bias.data
    return total
