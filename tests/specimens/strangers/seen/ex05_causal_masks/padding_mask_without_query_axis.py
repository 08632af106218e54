"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    positions = torch.arange(size)
    return positions[:, None] >= positions


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths > size
    if too_long.any():
        raise ValueError(f"lengths {lengths[too_long].tolist()} are above size {size}")
    return torch.arange(size)[None, :] < lengths[:, None]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    masked = scores.clone()
    masked[~mask.expand_as(scores)] = -torch.inf
    return masked


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    empty = ~mask.any(dim=-1, keepdim=True)
    kept = weights.masked_fill(mask.logical_not(), 0)
    denominator = kept.sum(dim=-1, keepdim=True).masked_fill(empty, 1)
    return kept.div(denominator)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d_k = key.shape[-1]
    scores = torch.matmul(query, key.mT).div(d_k**0.5)
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
    weights = mask_scores(scores, mask).softmax(-1)
    weights = torch.where(mask, weights, 0.0)
    return torch.matmul(weights, value), weights
