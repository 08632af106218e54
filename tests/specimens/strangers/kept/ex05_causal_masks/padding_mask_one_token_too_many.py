"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    for length in lengths:
        if length > size:
            raise ValueError(f"length {length.item()} is larger than size {size}")
    positions = torch.arange(size).reshape(1, 1, size)
    last = lengths.reshape(-1, 1, 1)
    return positions <= last


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    penalty = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask.logical_not(), -torch.inf)
    return scores + penalty


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.double() * mask
    total = torch.sum(kept, -1, keepdim=True)
    safe = torch.where(total == 0, torch.ones_like(total), total)
    return (kept / safe).to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.size(-1) ** -0.5
    if mask is not None:
        empty = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~(mask | empty), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
