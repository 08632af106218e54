"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    positions = torch.arange(size)
    return positions[:, None] >= positions


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"{length=} does not fit in {size=}")
        rows.append([[True] * length + [False] * (size - length)])
    return torch.tensor(rows, dtype=torch.bool).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + mask.to(scores.dtype).log()


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    zeroed = torch.where(mask, weights, torch.zeros_like(weights))
    totals = zeroed.sum(dim=-1)
    totals = torch.where(totals == 0, torch.ones_like(totals), totals)
    return zeroed / totals


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
