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


def _bias(layer: nn.Linear) -> Tensor:
    return torch.zeros(layer.out_features) if layer.bias is None else layer.bias


def to_builtin(attention: Attention) -> nn.MultiheadAttention:
    builtin = nn.MultiheadAttention(attention.d_model, attention.num_heads, batch_first=True)
    inputs = (attention.w_query, attention.w_key, attention.w_value)
    with torch.no_grad():
        builtin.in_proj_weight.copy_(torch.cat([layer.weight for layer in inputs]))
        builtin.in_proj_bias.copy_(torch.cat([_bias(layer) for layer in inputs]))
        builtin.out_proj.weight.copy_(attention.w_out.weight)
        builtin.out_proj.bias.copy_(_bias(attention.w_out))
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return torch.where(mask, False, True)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return torch.einsum("...ts,...sv->...tv", scores.softmax(-1), value)
