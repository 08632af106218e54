"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.tril(torch.ones(size, size))


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, size, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        if n > size:
            raise ValueError(f"sample {i} has length {n}, but size is {size}")
        mask[i, 0, :n] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    weights = weights.masked_fill(mask == 0, 0)
    norm = weights.sum(dim=-1, keepdim=True)
    return weights / norm.masked_fill(norm == 0, 1)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = F.softmax(scores, dim=-1)
    attn = torch.nan_to_num(attn, nan=0.0)  # rows without any key
    return attn @ value, attn
