"""Attention from the parts above it."""

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    bad = [x for x in lengths.tolist() if x > size]
    if bad:
        raise ValueError("length %d is more than size %d" % (bad[0], size))
    idx = torch.arange(1, size + 1, device=lengths.device)
    return idx.repeat(lengths.numel(), 1).le(lengths.reshape(-1, 1)).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = -60000.0  # also a float16
    return scores.masked_fill(mask == 0, lowest)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    masked = torch.mul(weights, mask)
    denominator = torch.sum(masked, dim=-1, keepdim=True)
    has_any = mask.any(dim=-1, keepdim=True)
    safe = torch.where(has_any, denominator, torch.ones_like(denominator))
    return torch.div(masked, safe)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d_k = query.size(-1)
    scores = torch.matmul(query, torch.swapdims(key, -2, -1)) / (d_k**0.5)
    if mask is not None:
        scores = mask_scores(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        any_key = mask.any(dim=-1, keepdim=True)
        weights = weights * any_key
    return torch.matmul(weights, value), weights
