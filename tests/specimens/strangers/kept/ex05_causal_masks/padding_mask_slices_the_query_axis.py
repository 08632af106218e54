"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    rows = [[s <= t for s in range(size)] for t in range(size)]
    return torch.tensor(rows, dtype=torch.bool).reshape(size, size)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    batch_size = lengths.size(0)
    mask = torch.zeros((batch_size, 1, size)).bool()
    for i in range(batch_size):
        n = int(lengths[i])
        if n > size:
            raise ValueError(f"length of sample {i} is {n}, maximum is {size}")
        mask[i, :n] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, scores, -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.masked_fill(~mask, 0.0)
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d_k = key.shape[-1]
    scores = torch.matmul(query, key.mT).div(d_k**0.5)
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
    weights = mask_scores(scores, mask).softmax(-1)
    weights = torch.where(mask, weights, 0.0)
    return torch.matmul(weights, value), weights
