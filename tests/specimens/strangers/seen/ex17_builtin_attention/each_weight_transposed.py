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
    with_bias = attention.w_out.bias is not None
    mha = nn.MultiheadAttention(
        embed_dim=attention.d_model, num_heads=attention.num_heads, bias=with_bias, batch_first=True
    )
    wq, wk, wv = attention.w_query, attention.w_key, attention.w_value
    mha.in_proj_weight.data = torch.cat((wq.weight.T, wk.weight.T, wv.weight.T), dim=0).detach()
    mha.out_proj.weight.data = attention.w_out.weight.T.detach().clone()
    if with_bias:
        mha.in_proj_bias.data = torch.cat((wq.bias, wk.bias, wv.bias)).detach()
        mha.out_proj.bias.data = attention.w_out.bias.detach().clone()
    return mha


def builtin_mask(mask: Tensor) -> Tensor:
    return mask == False  # noqa: E712


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    full = torch.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
    return F.scaled_dot_product_attention(query, key, value, full)
