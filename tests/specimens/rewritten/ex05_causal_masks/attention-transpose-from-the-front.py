"""Masks, with torch.where."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    position = torch.arange(size)
    return position[None, :] <= position[:, None]


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths[lengths > size]
    if len(too_long) > 0:
        raise ValueError(f"length {too_long[0].item()} does not fit into size {size}")
    position = torch.arange(size, device=lengths.device)
    return (position[None, :] < lengths[:, None])[:, None, :]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    minus_infinity = torch.full_like(scores, -math.inf)
    return torch.where(mask, scores, minus_infinity)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = torch.where(mask, weights, torch.zeros_like(weights))
    total = kept.sum(dim=-1, keepdim=True)
    divisor = torch.where(total > 0, total, torch.ones_like(total))
    return kept / divisor


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d = query.shape[-1]
    scores = torch.matmul(query, key.transpose(1, 2)) / math.sqrt(d)
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
        weights = F.softmax(torch.where(mask, scores, lowest), dim=-1)
        weights = torch.where(mask, weights, torch.zeros_like(weights))
    return torch.matmul(weights, value), weights
