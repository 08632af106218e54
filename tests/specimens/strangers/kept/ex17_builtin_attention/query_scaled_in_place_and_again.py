"""Exercise 17: the attention that PyTorch brings along."""

import math
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
    layers = [attention.w_query, attention.w_key, attention.w_value]
    builtin = nn.MultiheadAttention(
        attention.d_model,
        attention.num_heads,
        bias=layers[0].bias is not None,
        batch_first=True,
    )
    state = builtin.state_dict()
    state["in_proj_weight"] = torch.cat([layer.weight for layer in layers])
    state["out_proj.weight"] = attention.w_out.weight
    if "in_proj_bias" in state:
        state["in_proj_bias"] = torch.cat([layer.bias for layer in layers])
        state["out_proj.bias"] = attention.w_out.bias
    builtin.load_state_dict(state)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return ~mask


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    query /= math.sqrt(query.size(-1))
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.size(-2))
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
