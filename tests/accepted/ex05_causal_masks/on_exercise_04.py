"""Without a mask it is exercise 04.

The contract: "None hides nothing."
"""

import math

import torch
from torch import Tensor

from .ex04_scaled_attention import scaled_dot_product_attention


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size).tril() > 0


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = max(lengths.tolist(), default=0)
    if longest > size:
        raise ValueError(f"{longest} tokens do not fit into {size}")
    return torch.arange(size, device=lengths.device).expand(len(lengths), 1, size) < lengths.view(
        -1, 1, 1
    )


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.where(mask, scores.new_tensor(-torch.inf))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    left = weights.where(mask, torch.zeros_like(weights))
    sums = left.sum(-1, keepdim=True)
    return left / (sums + (sums == 0))


def masked_attention(query, key, value, mask=None):
    if mask is None:
        return scaled_dot_product_attention(query, key, value)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    nobody = mask.logical_not().all(dim=-1, keepdim=True)  # would give NaN
    weights = mask_scores(scores, mask | nobody).softmax(dim=-1).masked_fill(nobody, 0)
    return weights @ value, weights
