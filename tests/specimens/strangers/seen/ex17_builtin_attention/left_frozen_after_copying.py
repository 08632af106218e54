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
    bias = attention.w_query.bias is not None
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=bias, batch_first=True
    )
    # otherwise copy_ complains about leaf variables
    for parameter in builtin.parameters():
        parameter.requires_grad = False
    names = ["w_query", "w_key", "w_value"]
    size = attention.d_model
    for i, name in enumerate(names):
        layer = getattr(attention, name)
        builtin.in_proj_weight[i * size : (i + 1) * size].copy_(layer.weight.data)
        if bias:
            builtin.in_proj_bias[i * size : (i + 1) * size].copy_(layer.bias.data)
    builtin.out_proj.weight.copy_(attention.w_out.weight.data)
    if bias:
        builtin.out_proj.bias.copy_(attention.w_out.bias.data)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return ~mask


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None:
        while mask.dim() < query.dim():
            mask = mask.unsqueeze(0)
        mask = mask.expand(query.shape[:-1] + key.shape[-2:-1])
    return F.scaled_dot_product_attention(query, key, value, mask)
