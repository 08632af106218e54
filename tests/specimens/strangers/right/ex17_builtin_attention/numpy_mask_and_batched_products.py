"""Exercise 17: the attention that PyTorch brings along."""

import copy
import math
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
    builtin = nn.MultiheadAttention(
        attention.d_model,
        attention.num_heads,
        bias=isinstance(attention.w_query.bias, Tensor),
        batch_first=True,
    )
    with torch.no_grad():
        names = ("w_query", "w_key", "w_value")
        for name, rows in zip(names, builtin.in_proj_weight.chunk(3), strict=True):
            rows.copy_(getattr(attention, name).weight)
        if builtin.in_proj_bias is not None:
            for name, part in zip(names, builtin.in_proj_bias.chunk(3), strict=True):
                part.copy_(getattr(attention, name).bias)
    builtin.out_proj.load_state_dict(copy.deepcopy(attention.w_out.state_dict()))
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return torch.from_numpy(~mask.detach().cpu().numpy()).to(mask.device)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """All leading dimensions become one; a bias of 0 or −inf enters through baddbmm."""
    *lead, t, d = query.shape
    s, dv = value.shape[-2:]
    n = math.prod(lead)
    bias = query.new_zeros(*lead, t, s)
    if mask is not None:
        bias = bias.masked_fill(~mask, -math.inf)
    scores = torch.baddbmm(
        bias.reshape(n, t, s),
        query.reshape(n, t, d),
        key.reshape(n, s, d).transpose(1, 2),
        alpha=d**-0.5,
    )
    return torch.bmm(scores.softmax(dim=2), value.reshape(n, s, dv)).reshape(*lead, t, dv)
