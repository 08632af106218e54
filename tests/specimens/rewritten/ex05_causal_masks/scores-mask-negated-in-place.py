"""Short answers."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    r = torch.arange(size)
    return torch.stack([r <= t for t in range(size)]) if size else torch.ones(0, 0).bool()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    top = max(lengths.tolist(), default=0)
    if top > size:
        raise ValueError(f"{top} tokens, size {size}")
    triangle = torch.ones(size + 1, size, dtype=torch.bool, device=lengths.device).tril(-1)
    return triangle[lengths.long()].unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask.logical_not_()
    return scores.masked_fill(hidden, -math.inf)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.double() * mask
    return F.normalize(kept, p=1.0, dim=-1, eps=1e-200).to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(-2, -1)
    if mask is None:
        w = F.softmax(scores, dim=-1)
        return w @ value, w
    bias = torch.where(mask, 0.0, -1e30).to(scores)
    w = F.softmax(scores + bias, dim=-1) * mask
    return w @ value, w
