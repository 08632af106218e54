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
        bias=attention.w_out.bias is not None,
        batch_first=True,
    )

    @torch.no_grad()
    def put(target: Tensor, *sources: Tensor) -> None:
        target.copy_(torch.cat(sources))

    q, k, v, o = attention.w_query, attention.w_key, attention.w_value, attention.w_out
    put(builtin.in_proj_weight, q.weight, k.weight, v.weight)
    put(builtin.out_proj.weight, o.weight)
    if o.bias is not None:
        put(builtin.in_proj_bias, q.bias, k.bias, v.bias)
        put(builtin.out_proj.bias, o.bias)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.bitwise_not()


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    *lead, t, d = query.shape
    s, dv = value.shape[-2:]
    if mask is not None:
        mask = mask.expand(*lead, t, s).reshape(-1, t, s)
    q, k, v = query.view(-1, t, d), key.view(-1, s, d), value.view(-1, s, dv)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out.view(*lead, t, dv)
