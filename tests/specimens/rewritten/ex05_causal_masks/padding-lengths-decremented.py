"""Softmax by hand: exp, sum, divide."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    if (lengths > size).any():
        worst = lengths.max().item()
        raise ValueError(f"length {worst} is above the size {size}")
    last = lengths.long()
    last -= 1
    index = torch.arange(size, device=lengths.device)
    return (index <= last.unsqueeze(-1)).unsqueeze(-2)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    result = scores.clone()
    result[~mask.expand_as(scores)] = -math.inf
    return result


def normalise(numbers: Tensor) -> Tensor:
    """Divide each row by its sum; rows of zeros stay."""
    total = numbers.sum(dim=-1, keepdim=True)
    return numbers / (total + (total == 0))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    return normalise(weights * mask)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query.matmul(key.transpose(-1, -2)).div(math.sqrt(key.size(-1)))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = scores.masked_fill(~mask, -1e30)
    shifted = scores - scores.detach().amax(dim=-1, keepdim=True)
    weights = normalise(shifted.exp() * mask)
    return weights.matmul(value), weights
