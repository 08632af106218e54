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
    use_bias = attention.w_query.bias is not None
    m = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=use_bias, batch_first=True
    )
    ins = [attention.w_query, attention.w_key, attention.w_value]
    m.in_proj_weight = nn.Parameter(torch.cat([i.weight.detach() for i in ins]))
    m.out_proj.weight = nn.Parameter(attention.w_out.weight.detach().clone())
    if use_bias:
        m.in_proj_bias = nn.Parameter(torch.cat([i.bias.detach() for i in ins]))
        m.out_proj.bias = nn.Parameter(attention.w_out.bias.detach().clone())
    return m


def builtin_mask(mask: Tensor) -> Tensor:
    # hidden keys get -inf, which is added to the scores
    return torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
    return F.scaled_dot_product_attention(query=query, key=key, value=value, attn_mask=mask)
