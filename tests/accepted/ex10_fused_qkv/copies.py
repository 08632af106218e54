"""Everything copied: fresh tensors filled in loops, in the layout of the result.

The contract: "of any dtype, which stays. It need not be contiguous, and is not changed."
"""

import torch
import torch.nn as nn


def split_qkv_blocks(qkv, num_heads):
    B, S, W = qkv.shape
    D = W // 3 // num_heads
    results = [qkv.new_empty((B, num_heads, S, D)) for _ in "qkv"]
    for n in range(3 * num_heads):
        which, head = n // num_heads, n % num_heads
        results[which][:, head] = qkv[..., n * D : n * D + D]
    return results[0], results[1], results[2]


def split_qkv_per_head(qkv, num_heads):
    B, S, W = qkv.shape
    D = W // 3 // num_heads
    results = [qkv.new_empty((B, num_heads, S, D)) for _ in "qkv"]
    for n in range(3 * num_heads):
        head, which = n // 3, n % 3
        results[which][:, head] = qkv[..., n * D : n * D + D]
    return results[0], results[1], results[2]


def fuse(w_query, w_key, w_value):
    layers = (w_query, w_key, w_value)
    for each in layers[1:]:
        if each.weight.shape != w_query.weight.shape:
            raise ValueError("layers of different sizes")
    options = {"device": w_query.weight.device, "dtype": w_query.weight.dtype}
    fused = nn.utils.skip_init(nn.Linear, w_query.in_features, 3 * w_query.out_features,
                               bias=w_query.bias is not None, **options)  # fmt: skip
    with torch.no_grad():
        for rows, layer in zip(fused.weight.chunk(3), layers):
            rows.copy_(layer.weight)
        if fused.bias is not None:
            for part, layer in zip(fused.bias.split(w_query.out_features), layers):
                part.copy_(layer.bias)
    return fused
