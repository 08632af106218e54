"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    future = torch.triu(torch.ones((size, size), dtype=torch.bool), diagonal=1)
    return ~future


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths[lengths > size]
    if too_long.numel():
        raise ValueError(f"length {int(too_long[0])} exceeds size {size}")
    return torch.arange(size).view(1, 1, -1) < lengths.view(-1, 1, 1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + mask.to(scores.dtype).log()


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = torch.where(mask, weights, 0.0)
    total = kept.sum(-1, keepdim=True)
    return kept / torch.where(total > 0, total, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    weights = torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        weights = mask_weights(weights, mask)
    return weights @ value, weights
