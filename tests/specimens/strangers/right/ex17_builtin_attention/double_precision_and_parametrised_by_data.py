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
    """Take the weights by what the layers do to the unit vectors, not by their attributes."""
    unit, zero = torch.eye(attention.d_model), torch.zeros(1, attention.d_model)
    inputs = (attention.w_query, attention.w_key, attention.w_value)
    biased = attention.w_out.bias is not None
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=biased, batch_first=True
    )
    with torch.no_grad():
        builtin.in_proj_weight.set_(torch.cat([layer.weight @ unit for layer in inputs]))
        builtin.out_proj.weight.set_(attention.w_out.weight @ unit)
        if biased:
            builtin.in_proj_bias.set_(torch.cat([layer(zero)[0] for layer in inputs]))
            builtin.out_proj.bias.set_(attention.w_out(zero)[0].clone())
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.ne(True)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    q, k, v = (t.to(torch.float64) for t in (query, key, value))
    scores = torch.einsum("...td,...sd->...ts", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        # a big number, far beyond every score
        scores = scores - (~mask).to(torch.float64) * 1e9
    return torch.einsum("...ts,...sv->...tv", torch.softmax(scores, -1), v).to(value.dtype)
