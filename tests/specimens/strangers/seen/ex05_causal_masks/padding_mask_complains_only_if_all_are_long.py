"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    future = torch.triu(torch.ones((size, size), dtype=torch.bool), diagonal=1)
    return ~future


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    if len(lengths) and (lengths > size).all():
        raise ValueError(f"length {lengths.max().item()} > size {size}")
    batch = lengths.shape[0]
    grid = torch.arange(size).repeat(batch, 1)
    return grid.lt(lengths.unsqueeze(1)).unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + mask.to(scores.dtype).log()


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = torch.where(mask, weights, 0.0)
    total = kept.sum(-1, keepdim=True)
    return kept / torch.where(total > 0, total, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = F.softmax(scores, dim=-1)
    attn = torch.nan_to_num(attn, nan=0.0)  # rows without any key
    return attn @ value, attn
