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
    over = [n for n in lengths.tolist() if n > size]
    if over:
        raise ValueError(f"these lengths are above {size}: {over}")
    return torch.arange(size).ge(lengths[:, None, None])


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    masked = weights * mask
    sums = masked.sum(dim=-1, keepdim=True)
    return masked / (sums + (sums == 0))  # 0 / 1 where nothing is left


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    attn = query.matmul(key.transpose(-1, -2)) / query.shape[-1] ** 0.5
    if mask is not None:
        attn = attn.masked_fill(~mask, float("-inf"))
    attn = attn.softmax(dim=-1)
    if mask is not None:
        attn = attn.masked_fill(~mask, 0.0)
    return attn, attn.matmul(value)
