"""Weights and masks for PyTorch's own attention, as a tutorial converts them."""

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(Protocol):
    """What exercise 09 promises of its module."""

    d_model: int
    num_heads: int
    head_dim: int
    w_query: nn.Linear
    w_key: nn.Linear
    w_value: nn.Linear
    w_out: nn.Linear


def to_builtin(attention: Attention) -> nn.MultiheadAttention:
    """Copy the weights into an nn.MultiheadAttention."""
    q, k, v, out = attention.w_query, attention.w_key, attention.w_value, attention.w_out
    bias = out.bias is not None
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=bias, batch_first=True
    )
    builtin.in_proj_weight.data = torch.cat([q.weight.data, k.weight.data, v.weight.data])
    builtin.out_proj.weight.data = out.weight.data
    if bias:
        builtin.in_proj_bias.data = torch.cat([q.bias.data, k.bias.data, v.bias.data])
        builtin.out_proj.bias.data = out.bias.data
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    """Turn True = may attend into True = hidden."""
    return mask == 0


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Attend through the fused kernel."""
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
