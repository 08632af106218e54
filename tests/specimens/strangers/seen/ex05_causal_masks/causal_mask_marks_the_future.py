"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.triu(torch.ones(size, size), diagonal=1).bool()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"a length of {length} is above the size {size}")
    return (torch.arange(size) < lengths[:, None]).unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.masked_fill(~mask, 0.0)
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
