"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    rows = [[s <= t for s in range(size)] for t in range(size)]
    return torch.tensor(rows, dtype=torch.bool).reshape(size, size)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths[lengths > size]
    if too_long.numel():
        raise ValueError(f"length {int(too_long[0])} exceeds size {size}")
    return torch.arange(size).view(1, 1, -1) < lengths.view(-1, 1, 1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    masked = scores.clone()
    masked[~mask.expand_as(scores)] = -torch.inf
    return masked


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    weights *= mask
    row_sum = weights.sum(axis=-1, keepdims=True)
    row_sum = row_sum + (row_sum == 0).to(weights.dtype)
    return weights / row_sum


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    q = query / math.sqrt(query.shape[-1])
    scores = q @ key.swapaxes(-1, -2)
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    top = scores.detach().amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == -math.inf, 0.0)
    numerators = (scores - top).exp()
    total = numerators.sum(dim=-1, keepdim=True)
    weights = numerators / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights
