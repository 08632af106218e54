"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"{length=} does not fit in {size=}")
        rows.append([[True] * length + [False] * (size - length)])
    return torch.tensor(rows, dtype=torch.bool).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    penalty = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask.logical_not(), -torch.inf)
    return scores + penalty


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = torch.where(mask, weights, 0.0)
    total = kept.sum(-1, keepdim=True)
    return kept / torch.where(total > 0, total, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    L, S = query.size(-2), key.size(-2)
    attn_bias = torch.zeros(L, S, dtype=query.dtype)
    if mask is not None:
        attn_bias = torch.zeros(mask.shape, dtype=query.dtype)
        attn_bias = attn_bias.masked_fill(mask.logical_not(), float("-inf"))
    attn_weight = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1).nan_to_num(0.0)
    return attn_weight @ value, attn_weight
