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
    with torch.no_grad():
        weights = [attention.w_query.weight, attention.w_key.weight, attention.w_value.weight]
        builtin.in_proj_weight.data.copy_(torch.concat(weights, dim=0))
        builtin.out_proj.weight.data.copy_(attention.w_out.weight.data)
        if bias:
            biases = [attention.w_query.bias, attention.w_key.bias, attention.w_value.bias]
            builtin.in_proj_bias.data.copy_(torch.concat(biases, dim=0))
            builtin.out_proj.bias.data.copy_(attention.w_out.bias.data)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.eq(0)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None and mask.dim() == 3:
        mask = mask.unsqueeze(1)  # the same for all heads
    scores = torch.matmul(query, key.transpose(-1, -2)) / (query.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    return torch.matmul(torch.softmax(scores, dim=-1), value)
