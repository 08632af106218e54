"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    positions = torch.arange(size)
    return positions[:, None] >= positions


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = max(lengths.tolist(), default=0)
    if longest > size:
        raise ValueError("longest sample has %d tokens, size is %d" % (longest, size))
    idx = torch.arange(size).expand(len(lengths), size)
    return (idx < lengths.unsqueeze(-1))[:, None, :]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + (~mask) * float("-inf")


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = torch.where(mask, weights, 0.0)
    total = kept.sum(-1, keepdim=True)
    return kept / torch.where(total > 0, total, 1.0)


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
