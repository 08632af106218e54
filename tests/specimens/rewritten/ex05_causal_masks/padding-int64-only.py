import math

import torch
from torch import Tensor
from torch.nn.functional import one_hot


def causal_mask(size: int) -> Tensor:
    later = torch.triu(torch.ones(size, size), diagonal=1)
    return later == 0


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    too_long = lengths[lengths > size]
    if len(too_long) > 0:
        raise ValueError(f"{too_long[0].item()} tokens in a sample of size {size}")
    ends = one_hot(lengths, num_classes=size + 1)
    ended = ends.cumsum(dim=-1)[:, :size]
    return (ended == 0).unsqueeze(1)


def _penalty(mask: Tensor, like: Tensor) -> Tensor:
    zero = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return zero.masked_fill(~mask, -math.inf)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + _penalty(mask, scores)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    seen = weights.masked_fill(~mask, 0)
    share = seen.sum(-1, keepdim=True)
    share = share + (share == 0)
    return seen / share


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = torch.matmul(query * query.shape[-1] ** -0.5, key.mT)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    weights = weights.masked_fill(~mask, 0)
    return torch.matmul(weights, value), weights
