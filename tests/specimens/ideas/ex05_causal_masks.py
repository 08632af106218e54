"""Masks, and attention that obeys them, for batches (B, T, D)."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    """Let each position attend to itself and to every earlier one."""
    return torch.tril(torch.ones(size, size)).bool()


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    """Show the first tokens of each sample: (B, 1, size)."""
    positions = torch.arange(size, device=lengths.device)
    return (positions[None, :] < lengths[:, None]).unsqueeze(1)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Put minus infinity where a key is hidden."""
    return scores.masked_fill(mask == 0, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    """Zero hidden keys, then renormalise."""
    weights = weights.masked_fill(mask == 0, 0.0)
    return weights / weights.sum(dim=-1, keepdim=True)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention under a mask: output and weights."""
    scores = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = mask_scores(scores, mask)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
