"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.tril(torch.ones(size, size)) == 1


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"{length=} does not fit in {size=}")
        rows.append([[True] * length + [False] * (size - length)])
    return torch.tensor(rows, dtype=torch.bool).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    masked = scores.clone()
    masked[~mask.expand_as(scores)] = -torch.inf
    return masked


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.double() * mask
    total = torch.sum(kept, -1, keepdim=True)
    safe = torch.where(total == 0, torch.ones_like(total), total)
    return (kept / safe).to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    scores = query @ key.permute(0, 2, 1)
    scores = scores / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    output = weights @ value
    return output, weights
