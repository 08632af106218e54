"""Exercise 17: the attention that PyTorch brings along."""

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(Protocol):
    """What exercise 09 promises of its module, and all that may be asked of it here."""

    d_model: int
    num_heads: int
    head_dim: int
    w_query: nn.Linear
    w_key: nn.Linear
    w_value: nn.Linear
    w_out: nn.Linear


def to_builtin(attention: Attention) -> nn.MultiheadAttention:
    has_bias = attention.w_query.bias is not None
    builtin = nn.MultiheadAttention(attention.d_model, attention.num_heads, bias=has_bias)
    layers = (attention.w_query, attention.w_key, attention.w_value)
    with torch.no_grad():
        builtin.in_proj_weight.copy_(torch.cat([layer.weight for layer in layers]))
        builtin.out_proj.weight.copy_(attention.w_out.weight)
        if has_bias:
            builtin.in_proj_bias.copy_(torch.cat([layer.bias for layer in layers]))
            builtin.out_proj.bias.copy_(attention.w_out.bias)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return ~mask


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
