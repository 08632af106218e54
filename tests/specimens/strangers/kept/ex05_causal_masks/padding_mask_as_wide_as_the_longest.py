"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.tril(torch.ones(size, size)) == 1


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    max_len = int(lengths.max())
    if max_len > size:
        raise ValueError(f"got a length of {max_len}, which is above {size}")
    steps = torch.arange(max_len, device=lengths.device)
    mask = steps.unsqueeze(0) < lengths.unsqueeze(1)
    return mask.unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    empty = ~mask.any(dim=-1, keepdim=True)
    kept = weights.masked_fill(mask.logical_not(), 0)
    denominator = kept.sum(dim=-1, keepdim=True).masked_fill(empty, 1)
    return kept.div(denominator)


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
