import math

import torch


def causal_mask(size):
    return torch.tensor([[s <= t for s in range(size)] for t in range(size)], dtype=torch.bool).reshape(size, size)


def padding_mask(lengths, size):
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"a length of {length}, but only {size} places")
        rows.append([[True] * length + [False] * (size - length)])
    mask = torch.tensor(rows, dtype=torch.bool, device=lengths.device)
    return mask.reshape(len(rows), 1, size)


def mask_scores(scores, mask):
    nothing = torch.full_like(scores, -math.inf)
    return torch.where(mask, scores, nothing)


def normalise(parts):
    sums = parts.sum(dim=-1, keepdim=True)
    return parts / torch.where(sums == 0, torch.ones_like(sums), sums)


def mask_weights(weights, mask):
    return normalise(weights * mask.to(weights.dtype))


def masked_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = mask_scores(scores, mask)
    largest = scores.detach().max()
    largest = torch.where(largest == -math.inf, torch.zeros_like(largest), largest)
    weights = normalise(torch.exp(scores - largest))
    return weights @ value, weights
