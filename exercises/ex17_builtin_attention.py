"""Exercise 17: the attention that PyTorch brings along."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(Protocol):
    """What exercise 09 promises of its module, and all that may be asked of it here.

    The four projections are layers from E to E features, all with a bias or all without. E is
    `d_model`, H is `num_heads`, and D = E / H is `head_dim`.
    """

    d_model: int
    num_heads: int
    head_dim: int
    w_query: nn.Linear
    w_key: nn.Linear
    w_value: nn.Linear
    w_out: nn.Linear


def to_builtin(attention: Attention) -> nn.MultiheadAttention:
    """Make an nn.MultiheadAttention that computes what this attention computes.

    Args:
        attention: as exercise 09 makes it, in float32 on the CPU. It stays as it is.

    Returns:
        a new nn.MultiheadAttention of width E with H heads. Its inputs and its output have the
        batch first, (B, T, E). Its parameters are copies and can be trained: what becomes of them
        is nothing to `attention`, and the other way round. They are
        `in_proj_weight` (3E, E), which packs the weights of queries, keys and values, one below
        the other in this order; `in_proj_bias` (3E,), in the same order; `out_proj.weight` (E, E)
        and `out_proj.bias` (E,). Where `attention` has no biases, there are none here either.
        Its dropout and its mode are free; all else is as PyTorch makes it, so it returns the
        output and the average of all heads' weights, (B, T, S), or with
        `average_attn_weights=False` one map for each head, (B, H, T, S).

    >>> from types import SimpleNamespace
    >>> layers = {name: nn.Linear(6, 6) for name in ("w_query", "w_key", "w_value", "w_out")}
    >>> builtin = to_builtin(SimpleNamespace(d_model=6, num_heads=2, head_dim=3, **layers))
    >>> x = torch.ones(1, 4, 6)
    >>> output, weights = builtin(x, x, x, average_attn_weights=False)
    >>> output.shape, weights.shape
    (torch.Size([1, 4, 6]), torch.Size([1, 2, 4, 4]))
    """
    raise NotImplementedError("ex17 to_builtin: not written yet")


def builtin_mask(mask: Tensor) -> Tensor:
    """Turn a mask of this kata into an `attn_mask` for nn.MultiheadAttention.

    Args:
        mask: bool (T, S), True = may attend. It is not changed.

    Returns:
        bool (T, S), a new tensor, True = hidden, as nn.MultiheadAttention reads it.
        F.scaled_dot_product_attention takes True for "may attend", as this kata does.

    >>> builtin_mask(torch.tensor([[True, False, False], [True, True, False]])).tolist()
    [[False, True, True], [False, False, True]]
    """
    raise NotImplementedError("ex17 builtin_mask: not written yet")


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Scaled dot-product attention under a mask, through F.scaled_dot_product_attention.

    Only its values are judged, not which function was called. No argument is changed, and none
    need be contiguous.

    Args:
        query: (..., T, D), float32. There may be any number of leading dimensions, none included;
            they are the same for query, key and value.
        key: (..., S, D), where S may differ from T.
        value: (..., S, Dv), where Dv may differ from D.
        mask: bool, True = may attend, of two dimensions or more. It broadcasts to (..., T, S) as
            tensors do, from the last dimension on. No row hides every key. None hides nothing.

    Returns:
        (..., T, Dv), the output alone, in training and otherwise: nothing is dropped. A hidden key
        gets a weight of exactly zero, for scores of up to ±1,000. Gradients flow back to query, key
        and value.

    >>> query, key, value = torch.zeros(1, 1), torch.zeros(2, 1), torch.tensor([[4.0], [8.0]])
    >>> fused_attention(query, key, value, torch.tensor([[True, False]]))
    tensor([[4.]])
    >>> fused_attention(query, key, value)
    tensor([[6.]])
    """
    raise NotImplementedError("ex17 fused_attention: not written yet")
