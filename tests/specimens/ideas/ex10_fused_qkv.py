"""A fused projection and its two layouts, read as in nanoGPT and GPT-NeoX."""

import torch
from torch import Tensor, nn

from .ex07_heads import split_heads


def split_qkv_blocks(qkv: Tensor, num_heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Read all queries, then all keys, then all values."""
    query, key, value = qkv.split(qkv.size(-1) // 3, dim=2)
    return split_heads(query, num_heads), split_heads(key, num_heads), split_heads(value, num_heads)


def split_qkv_per_head(qkv: Tensor, num_heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Read query, key and value of one head after the other."""
    samples, tokens, width = qkv.size()
    heads = qkv.view(samples, tokens, num_heads, width // num_heads).transpose(1, 2)
    query, key, value = heads.chunk(3, dim=-1)
    return query, key, value


def fuse(w_query: nn.Linear, w_key: nn.Linear, w_value: nn.Linear) -> nn.Linear:
    """Put the rows of three layers into one."""
    bias = w_query.bias is not None
    fused = nn.Linear(w_query.in_features, 3 * w_query.out_features, bias=bias)
    with torch.no_grad():
        fused.weight.copy_(torch.cat([w_query.weight, w_key.weight, w_value.weight]))
        if bias:
            fused.bias.copy_(torch.cat([w_query.bias, w_key.bias, w_value.bias]))
    return fused
