"""Everything with masked_fill."""

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    future = torch.triu(torch.ones(size, size), diagonal=1)
    return future == 0


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    for n in lengths.tolist():
        if n > size:
            raise ValueError(f"a sample of length {n} is longer than {size}")
    steps = torch.arange(size, device=lengths.device).expand(len(lengths), size)
    return steps.lt(lengths.unsqueeze(1)).unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    w = weights.masked_fill(~mask, 0.0)
    s = w.sum(-1, keepdim=True)
    return w / s.masked_fill(s == 0, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT * query.size(-1) ** -0.5
    hidden = ~mask
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1).masked_fill(hidden, 0.0)
    return weights @ value, weights
