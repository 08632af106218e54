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
    builtin = nn.MultiheadAttention(
        attention.d_model,
        attention.num_heads,
        dropout=attention.dropout.p,
        bias=attention.w_query.bias is not None,
        batch_first=True,
    )
    with torch.no_grad():
        q, k, v = builtin.in_proj_weight.chunk(3)
        q.copy_(attention.w_query.weight)
        k.copy_(attention.w_key.weight)
        v.copy_(attention.w_value.weight)
        builtin.out_proj.weight.copy_(attention.w_out.weight)
        if builtin.in_proj_bias is not None:
            q, k, v = builtin.in_proj_bias.chunk(3)
            q.copy_(attention.w_query.bias)
            k.copy_(attention.w_key.bias)
            v.copy_(attention.w_value.bias)
            builtin.out_proj.bias.copy_(attention.w_out.bias)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.logical_not()


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None:
        mask = mask.broadcast_to(*query.shape[:-2], query.shape[-2], key.shape[-2])
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
