"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
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
    return scores + (1.0 - mask.float()) * -1e9


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    weights = weights * mask.float()
    total = weights.sum(dim=-1, keepdim=True)
    return weights / torch.where(total == 0, torch.ones_like(total), total)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
