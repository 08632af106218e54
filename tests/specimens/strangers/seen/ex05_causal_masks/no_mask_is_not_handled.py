"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = max(lengths.tolist(), default=0)
    if longest > size:
        raise ValueError("longest sample has %d tokens, size is %d" % (longest, size))
    idx = torch.arange(size).expand(len(lengths), size)
    return (idx < lengths.unsqueeze(-1))[:, None, :]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    masked = weights * mask
    sums = masked.sum(dim=-1, keepdim=True)
    return masked / (sums + (sums == 0))  # 0 / 1 where nothing is left


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    scale = 1.0 / math.sqrt(query.size(-1))
    scores = mask_scores(query @ key.transpose(-1, -2) * scale, mask)
    weights = scores.softmax(dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    output = weights @ value
    return output, weights
