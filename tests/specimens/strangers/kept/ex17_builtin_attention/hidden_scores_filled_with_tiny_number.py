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
    has_biases = attention.w_query.bias is not None
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=has_biases, batch_first=True
    )
    with torch.no_grad():
        for number, layer in enumerate((attention.w_query, attention.w_key, attention.w_value)):
            rows = slice(number * attention.d_model, (number + 1) * attention.d_model)
            builtin.in_proj_weight[rows] = layer.weight
            if has_biases:
                builtin.in_proj_bias[rows] = layer.bias
        builtin.out_proj.weight.copy_(attention.w_out.weight)
        if has_biases:
            builtin.out_proj.bias.copy_(attention.w_out.bias)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return torch.logical_not(mask)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / (d_k**0.5)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 1e-9)
    p_attn = F.softmax(scores, dim=-1)
    return torch.matmul(p_attn, value)
