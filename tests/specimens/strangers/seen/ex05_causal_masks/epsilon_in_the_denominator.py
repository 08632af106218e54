"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    future = torch.triu(torch.ones((size, size), dtype=torch.bool), diagonal=1)
    return ~future


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = max(lengths.tolist(), default=0)
    if longest > size:
        raise ValueError("longest sample has %d tokens, size is %d" % (longest, size))
    idx = torch.arange(size).expand(len(lengths), size)
    return (idx < lengths.unsqueeze(-1))[:, None, :]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, float("-inf"))


EPS = 1e-6


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    weights = weights.masked_fill(~mask, 0.0)
    return weights / (weights.sum(-1, keepdim=True) + EPS)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = F.softmax(scores, dim=-1)
    attn = torch.nan_to_num(attn, nan=0.0)  # rows without any key
    return attn @ value, attn
