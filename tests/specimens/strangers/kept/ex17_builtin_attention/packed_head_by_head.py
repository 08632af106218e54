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
    E, H, D = attention.d_model, attention.num_heads, attention.head_dim
    projections = [attention.w_query, attention.w_key, attention.w_value]
    bias = all(layer.bias is not None for layer in projections)
    builtin = nn.MultiheadAttention(E, H, bias=bias, batch_first=True)
    # q, k, v of head 0, q, k, v of head 1, ...
    weight = torch.stack([p.weight.view(H, D, E) for p in projections], dim=1)
    state = {
        "in_proj_weight": weight.reshape(3 * E, E),
        "out_proj.weight": attention.w_out.weight,
    }
    if bias:
        state["in_proj_bias"] = torch.stack(
            [p.bias.view(H, D) for p in projections], dim=1
        ).reshape(3 * E)
        state["out_proj.bias"] = attention.w_out.bias
    builtin.load_state_dict(state)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return torch.logical_not(mask)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1) @ value
