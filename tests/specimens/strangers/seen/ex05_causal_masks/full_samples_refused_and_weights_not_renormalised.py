"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], 1, size, dtype=torch.bool)
    for row, length in zip(mask, lengths.tolist()):
        if length >= size:
            raise ValueError(f"length {length} must be below size {size}")
        row[:, :length] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, scores, -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    visible = mask.to(weights.dtype)
    return torch.mul(weights, visible)


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
