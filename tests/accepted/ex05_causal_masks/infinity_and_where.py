"""torch.where and −inf; empty rows are found first and given something harmless to chew on.

The contract: "A row in which every key is hidden is not judged."
"""

import math

import torch


def causal_mask(size):
    i = torch.arange(size)
    return i[:, None] >= i[None, :]


def padding_mask(lengths, size):
    too_long = lengths > size
    if too_long.any():
        worst = lengths[too_long][0].item()
        raise ValueError(f"sample of {worst} tokens does not fit into {size}")
    return (
        torch.arange(size, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)
    ).unsqueeze(1)


def mask_scores(scores, mask):
    return torch.where(mask, scores, float("-inf"))


def mask_weights(weights, mask):
    masked = torch.where(mask, weights, torch.zeros_like(weights))
    norm = masked.sum(-1, keepdim=True)
    safe = torch.where(norm > 0, norm, torch.ones_like(norm))
    return masked / safe


def masked_attention(query, key, value, mask=None):
    d = query.shape[-1]
    scores = torch.matmul(query, key.mT) / d**0.5
    if mask is not None:
        has_any = mask.any(dim=-1, keepdim=True)
        scores = mask_scores(scores, mask | ~has_any)
        weights = torch.softmax(scores, dim=-1) * has_any
    else:
        weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
