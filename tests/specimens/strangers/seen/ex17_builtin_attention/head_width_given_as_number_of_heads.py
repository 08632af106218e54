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
    has_bias = attention.w_value.bias is not None
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.head_dim, bias=has_bias, batch_first=True
    )
    state = {
        "in_proj_weight": torch.cat(
            [attention.w_query.weight, attention.w_key.weight, attention.w_value.weight]
        ),
        "out_proj.weight": attention.w_out.weight,
    }
    if has_bias:
        state["in_proj_bias"] = torch.cat(
            [attention.w_query.bias, attention.w_key.bias, attention.w_value.bias]
        )
        state["out_proj.bias"] = attention.w_out.bias
    builtin.load_state_dict(state)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask ^ True


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    size = query.shape[:-1] + (key.shape[-2],)
    allowed = torch.ones(size, dtype=torch.bool) if mask is None else mask.expand(size)
    return F.scaled_dot_product_attention(query, key, value, allowed)
