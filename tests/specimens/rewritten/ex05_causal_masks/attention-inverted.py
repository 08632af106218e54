"""Hidden keys are named `hidden` throughout."""

import math

import torch
from torch import Tensor
from torch.nn.functional import softmax


def causal_mask(size: int) -> Tensor:
    """Row t has t + 1 ones."""
    return torch.tril(torch.ones((size, size), dtype=torch.bool))


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    """One row per sample."""
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"size is {size}, but one length is {length}")
        rows.append([True] * length + [False] * (size - length))
    return torch.tensor(rows, dtype=torch.bool, device=lengths.device).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Minus infinity at hidden keys."""
    hidden = mask.logical_not()
    return scores.masked_fill(hidden, -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    """Zero, then divide."""
    hidden = mask.logical_not()
    kept = weights.masked_fill(hidden, 0)
    sums = kept.sum(dim=-1, keepdim=True)
    nothing_left = hidden.all(dim=-1, keepdim=True)
    return kept / sums.masked_fill(nothing_left, 1)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attend with a finite fill, so that a row of hidden keys has finite gradients."""
    scores = torch.einsum("...id,...jd->...ij", query, key)
    scores = scores / math.sqrt(query.shape[-1])
    if mask is None:
        weights = softmax(scores, dim=-1)
        return torch.einsum("...ij,...jd->...id", weights, value), weights
    hidden = mask
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = softmax(scores, dim=-1)
    weights = weights.masked_fill(hidden, 0)
    return torch.einsum("...ij,...jd->...id", weights, value), weights
