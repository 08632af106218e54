"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"a length of {length} is above the size {size}")
    return (torch.arange(size) < lengths[:, None]).unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, scores, -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    masked = weights * mask
    normalised = masked / masked.sum(dim=-1, keepdim=True)
    return normalised.nan_to_num(0.0)


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
