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
    biased = attention.w_query.bias is not None
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=biased, batch_first=True
    )
    parts = {"weight": [], "bias": []}
    for layer in (attention.w_query, attention.w_key, attention.w_value):
        parts["weight"].append(layer.weight)
        parts["bias"].append(layer.bias)
    with torch.no_grad():
        builtin.in_proj_weight.copy_(torch.cat(parts["weight"]))
        if biased:
            builtin.in_proj_bias.copy_(torch.cat(parts["bias"]))
    builtin.out_proj.load_state_dict(attention.w_out.state_dict())
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    queries, keys = mask.shape
    return torch.triu(torch.ones(queries, keys), diagonal=1).bool()


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None:
        mask = mask.expand(query.shape[:-1] + (key.shape[-2],))
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=False)
