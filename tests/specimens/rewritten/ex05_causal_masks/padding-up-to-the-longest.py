"""Einsum and additive penalties."""

import torch
from torch import Tensor, einsum


def causal_mask(size: int) -> Tensor:
    rows = torch.arange(size).view(size, 1)
    cols = torch.arange(size).view(1, size)
    return torch.ge(rows, cols)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = int(lengths.max())
    if longest > size:
        raise ValueError(f"length {longest} > size {size}")
    cols = torch.arange(longest, device=lengths.device).view(1, 1, -1)
    return cols < lengths.view(-1, 1, 1)


def penalty(mask: Tensor, like: Tensor, amount: float) -> Tensor:
    """0 where allowed, `amount` where hidden."""
    zeros = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return zeros.masked_fill(mask.logical_not(), amount)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + penalty(mask, scores, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights * mask.to(weights.dtype)
    norm = einsum("...ts->...t", kept).unsqueeze(-1)
    empty = mask.logical_not().all(-1, keepdim=True).to(weights.dtype)
    return kept / (norm + empty)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scale = query.shape[-1] ** 0.5
    scores = einsum("...td,...sd->...ts", query, key) / scale
    if mask is not None:
        scores = scores + penalty(mask, scores, -1e30)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    output = einsum("...ts,...sv->...tv", weights, value)
    return output, weights
