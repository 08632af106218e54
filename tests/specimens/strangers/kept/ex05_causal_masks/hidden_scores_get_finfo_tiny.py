"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.tril(torch.ones(size, size)) == 1


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths[lengths > size]
    if too_long.numel():
        raise ValueError(f"length {int(too_long[0])} exceeds size {size}")
    return torch.arange(size).view(1, 1, -1) < lengths.view(-1, 1, 1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    smallest = torch.full_like(scores, torch.finfo(scores.dtype).tiny)
    return torch.where(mask, scores, smallest)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    empty = ~mask.any(dim=-1, keepdim=True)
    kept = weights.masked_fill(mask.logical_not(), 0)
    denominator = kept.sum(dim=-1, keepdim=True).masked_fill(empty, 1)
    return kept.div(denominator)


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
