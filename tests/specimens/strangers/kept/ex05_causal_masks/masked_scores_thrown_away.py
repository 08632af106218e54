"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    future = torch.triu(torch.ones((size, size), dtype=torch.bool), diagonal=1)
    return ~future


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, size, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        if n > size:
            raise ValueError(f"sample {i} has length {n}, but size is {size}")
        mask[i, 0, :n] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.logical_not(mask)
    scores.masked_fill(hidden, value=float("-inf"))
    return scores


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    masked = weights * mask
    sums = masked.sum(dim=-1, keepdim=True)
    return masked / (sums + (sums == 0))  # 0 / 1 where nothing is left


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
