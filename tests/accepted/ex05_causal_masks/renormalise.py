"""Attention by way of mask_weights: softmax over everything, then take away and divide."""

import torch
import torch.nn.functional as F


def causal_mask(size):
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths, size):
    mask = torch.zeros(lengths.shape[0], 1, size, dtype=torch.bool, device=lengths.device)
    for b, length in enumerate(lengths):
        n = int(length)
        if n > size:
            raise ValueError(f"padding_mask: {n=} > {size=}")
        mask[b, 0, :n] = True
    return mask


def mask_scores(scores, mask):
    scores = scores.clone()
    hidden = (~mask).expand_as(scores)
    scores[hidden] = -torch.inf
    return scores


def mask_weights(weights, mask):
    left = weights * mask
    tiny = torch.finfo(weights.dtype).tiny
    return left / left.sum(dim=-1, keepdim=True).clamp_min(tiny)


def masked_attention(query, key, value, mask=None):
    weights = F.softmax(query @ key.transpose(-1, -2) / key.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        weights = mask_weights(weights, mask)
    return weights @ value, weights
