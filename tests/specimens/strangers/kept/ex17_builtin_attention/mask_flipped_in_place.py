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


@torch.no_grad()
def to_builtin(attention: Attention) -> nn.MultiheadAttention:
    bias = attention.w_key.bias is not None
    new = nn.MultiheadAttention(attention.d_model, attention.num_heads, 0.0, bias, batch_first=True)
    new.in_proj_weight[:] = torch.cat(
        [attention.w_query.weight, attention.w_key.weight, attention.w_value.weight], dim=0
    )
    new.out_proj.weight[:] = attention.w_out.weight
    if bias:
        new.in_proj_bias[:] = torch.cat(
            [attention.w_query.bias, attention.w_key.bias, attention.w_value.bias], dim=0
        )
        new.out_proj.bias[:] = attention.w_out.bias
    return new


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.logical_not_()


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    weights = query.matmul(key.mT) / query.shape[-1] ** 0.5
    if mask is not None:
        weights = weights.masked_fill(mask == 0, -1e9)
    return weights.softmax(dim=-1).matmul(value)
