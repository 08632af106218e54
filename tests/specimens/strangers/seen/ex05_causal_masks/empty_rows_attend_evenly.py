"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    positions = torch.arange(size)
    return positions[:, None] >= positions


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"a length of {length} is above the size {size}")
    return (torch.arange(size) < lengths[:, None]).unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(mask == 0, lowest)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    empty = ~mask.any(dim=-1, keepdim=True)
    kept = weights.masked_fill(mask.logical_not(), 0)
    denominator = kept.sum(dim=-1, keepdim=True).masked_fill(empty, 1)
    return kept.div(denominator)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, value), p_attn
