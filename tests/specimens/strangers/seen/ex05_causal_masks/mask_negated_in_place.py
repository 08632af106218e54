"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"{length=} does not fit in {size=}")
        rows.append([[True] * length + [False] * (size - length)])
    return torch.tensor(rows, dtype=torch.bool).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask.logical_not_(), -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.masked_fill(~mask, 0.0)
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1.0)


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
