"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.tril(torch.ones(size, size)) == 1


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, size, dtype=torch.bool)
    for i, n in enumerate(lengths.tolist()):
        if n > size:
            raise ValueError(f"sample {i} has length {n}, but size is {size}")
        mask[i, 0, :n] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(mask == 0, lowest)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    return F.normalize(weights.masked_fill(~mask, 0), dim=-1)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.size(-1) ** -0.5
    if mask is not None:
        empty = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~(mask | empty), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
