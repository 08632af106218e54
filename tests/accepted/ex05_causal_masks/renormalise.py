"""Attention by way of mask_weights: softmax over everything, then take away and divide.

No hidden score may stand above the largest visible one, or it would take all the weight.

The contract: "A hidden key has no influence at all, however high it scores."
"""

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
    return left / left.sum(dim=-1, keepdim=True).where(mask.any(dim=-1, keepdim=True), 1)


def masked_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / key.shape[-1] ** 0.5
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        low = torch.finfo(scores.dtype).min
        highest = scores.detach().masked_fill(~mask, low).amax(dim=-1, keepdim=True)
        scores = scores.where(scores <= highest, highest)
        weights = mask_weights(F.softmax(scores, dim=-1), mask)
    return weights @ value, weights
