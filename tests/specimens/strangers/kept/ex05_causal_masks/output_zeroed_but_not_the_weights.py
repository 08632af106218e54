"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    rows = [[s <= t for s in range(size)] for t in range(size)]
    return torch.tensor(rows, dtype=torch.bool).reshape(size, size)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, size, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        if n > size:
            raise ValueError(f"sample {i} has length {n}, but size is {size}")
        mask[i, 0, :n] = True
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

    scores = torch.einsum("...id,...jd->...ij", query, key) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    output = torch.einsum("...ij,...jd->...id", weights, value)
    if mask is not None:
        sees_nothing = ~mask.any(dim=-1, keepdim=True)
        output = output.masked_fill(sees_nothing, 0)
    return output, weights
