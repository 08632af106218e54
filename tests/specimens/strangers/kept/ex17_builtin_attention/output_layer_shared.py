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
    qkv = [attention.w_query, attention.w_key, attention.w_value]
    builtin.in_proj_weight = nn.Parameter(torch.vstack([layer.weight for layer in qkv]).detach())
    builtin.out_proj.weight = attention.w_out.weight
    if bias:
        builtin.in_proj_bias = nn.Parameter(torch.hstack([layer.bias for layer in qkv]).detach())
        builtin.out_proj.bias = attention.w_out.bias
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    hidden = torch.ones_like(mask)
    hidden[mask] = False
    return hidden


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    bias = None
    if mask is not None:
        bias = torch.zeros(*query.shape[:-1], key.shape[-2])
        bias = bias.masked_fill(mask.logical_not(), float("-inf"))
    return F.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=0.0)
