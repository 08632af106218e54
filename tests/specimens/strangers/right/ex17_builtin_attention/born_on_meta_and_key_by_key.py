"""Exercise 17: the attention that PyTorch brings along."""

from typing import Protocol

import torch
from torch import Tensor, nn


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
    """Nothing is drawn: the module is made without memory, and then gets parameters."""
    layers = attention.w_query, attention.w_key, attention.w_value
    builtin = nn.MultiheadAttention(
        attention.d_model,
        attention.num_heads,
        bias=attention.w_out.bias is not None,
        batch_first=True,
        device="meta",
    )

    def fresh(*parts: Tensor) -> nn.Parameter:
        return nn.Parameter(torch.cat([part.detach() for part in parts]).clone())

    builtin.in_proj_weight = fresh(*(layer.weight for layer in layers))
    builtin.out_proj.weight = fresh(attention.w_out.weight)
    if builtin.in_proj_bias is not None:
        builtin.in_proj_bias = fresh(*(layer.bias for layer in layers))
        builtin.out_proj.bias = fresh(attention.w_out.bias)
    return builtin.eval()


def builtin_mask(mask: Tensor) -> Tensor:
    return torch.where(mask, torch.zeros_like(mask), torch.ones_like(mask))


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Go over the keys once, keeping the largest score, the sum and the weighted values so far."""
    lead_t, size = query.shape[:-1], key.shape[-2]
    seen = None if mask is None else mask.expand(*lead_t, size)
    top = query.new_full((*lead_t, 1), -1e30)
    total = query.new_zeros((*lead_t, 1))
    summed = query.new_zeros((*lead_t, value.shape[-1]))
    for s in range(size):
        score = (query * key[..., s : s + 1, :]).sum(-1, keepdim=True) / query.shape[-1] ** 0.5
        if seen is not None:
            score = torch.where(seen[..., s : s + 1], score, -torch.inf)
        new_top = torch.maximum(top, score.detach())
        fade, weight = torch.exp(top - new_top), torch.exp(score - new_top)
        total = total * fade + weight
        summed = summed * fade + weight * value[..., s : s + 1, :]
        top = new_top
    return summed / total
