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
    """Gather the layers' tensors under the names of the other module, and load them."""
    state: dict[str, Tensor] = {}
    for kind in ("weight", "bias"):
        inputs = [
            getattr(layer, kind)
            for layer in (attention.w_query, attention.w_key, attention.w_value)
        ]
        if all(part is not None for part in inputs):
            state[f"in_proj_{kind}"] = torch.cat(inputs)
            state[f"out_proj.{kind}"] = getattr(attention.w_out, kind)
    builtin = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias="in_proj_bias" in state, batch_first=True
    )
    builtin.load_state_dict(state, strict=True)
    return builtin


def builtin_mask(mask: Tensor) -> Tensor:
    return mask.logical_not()


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
