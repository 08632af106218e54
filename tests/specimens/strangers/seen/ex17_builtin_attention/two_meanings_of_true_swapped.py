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
    kinds = ("weight", "bias") if bias else ("weight",)
    with torch.no_grad():
        for kind in kinds:
            packed = [getattr(getattr(attention, "w_" + n), kind) for n in ("query", "key", "value")]
            getattr(builtin, "in_proj_" + kind).copy_(torch.cat(packed))
            getattr(builtin.out_proj, kind).copy_(getattr(attention.w_out, kind))
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.clone()


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    hidden = None
    if mask is not None:
        hidden = ~mask.expand(*query.shape[:-1], key.shape[-2])
    return F.scaled_dot_product_attention(query, key, value, attn_mask=hidden)
