"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    rows = [[s <= t for s in range(size)] for t in range(size)]
    return torch.tensor(rows, dtype=torch.bool).reshape(size, size)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths[lengths > size]
    if too_long.numel():
        raise ValueError(f"length {int(too_long[0])} exceeds size {size}")
    return torch.arange(size).view(1, 1, -1) < lengths.view(-1, 1, 1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    out = scores.clone()
    out[~mask] = float("-inf")
    return out


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.masked_fill(~mask, 0.0)
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = F.softmax(scores, dim=-1)
    attn = torch.nan_to_num(attn, nan=0.0)  # rows without any key
    return attn @ value, attn
