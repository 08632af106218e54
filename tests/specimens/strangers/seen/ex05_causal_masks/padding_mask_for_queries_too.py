"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    longest = lengths.max().item() if lengths.numel() else 0
    if longest > size:
        raise ValueError(f"length {longest} is above size {size}")
    real = torch.arange(size) < lengths.unsqueeze(1)  # (B, S)
    return real.unsqueeze(1) & real.unsqueeze(2)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(mask == 0, lowest)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights.double() * mask
    total = torch.sum(kept, -1, keepdim=True)
    safe = torch.where(total == 0, torch.ones_like(total), total)
    return (kept / safe).to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
