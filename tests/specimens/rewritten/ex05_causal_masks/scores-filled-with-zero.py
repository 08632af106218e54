import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = int(lengths.max()) if lengths.numel() else 0
    if longest > size:
        raise ValueError(f"length {longest} is above the size {size}")
    return (torch.arange(size, device=lengths.device) < lengths[:, None])[:, None, :]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, 0.0)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights * mask
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = torch.where(mask, scores, lowest).softmax(dim=-1) * mask
    return weights @ value, weights
