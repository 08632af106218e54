"""einsum for the order of axes; a weight found by asking the layers about unit vectors.

The contract: "Make one layer that computes what three compute, in the layout of split_qkv_blocks."
"""

import torch
from torch import nn


def split_qkv_blocks(qkv, num_heads):
    cut = qkv.unflatten(-1, (3, num_heads, -1))
    q, k, v = torch.einsum("bsthd->tbhsd", cut)
    return q, k, v


def split_qkv_per_head(qkv, num_heads):
    cut = qkv.unflatten(-1, (num_heads, 3, -1))
    q, k, v = torch.einsum("bshtd->tbhsd", cut)
    return q, k, v


@torch.no_grad()
def fuse(w_query, w_key, w_value):
    n, e = w_query.in_features, w_query.out_features
    device = w_query.weight.device
    unit, zero = torch.eye(n, device=device), torch.zeros(n, device=device)
    layer = nn.Linear(n, e + e + e, w_query.bias is not None, device)
    columns = [(w(unit) - w(zero)).T for w in (w_query, w_key, w_value)]
    layer.weight.set_(torch.cat(columns))
    if w_query.bias is not None:
        layer.bias.set_(torch.cat([w(zero) for w in (w_query, w_key, w_value)]))
    return layer
