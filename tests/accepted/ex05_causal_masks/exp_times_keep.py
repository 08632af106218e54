"""The softmax written out, with the mask inside of its sums.

The contract: "zero at hidden keys; those of the others sum to one."
"""

import math

import torch

_VERY_NEGATIVE = {torch.float16: -6e4, torch.float32: -1e9, torch.float64: -1e18}


def causal_mask(size):
    return torch.ones(size, size).cumsum(1) <= torch.arange(1, size + 1).unsqueeze(1)


def padding_mask(lengths, size):
    if torch.any(lengths > size):
        raise ValueError(f"{lengths.max().item()} > {size}")
    ones = torch.ones(lengths.size(0), 1, size, dtype=torch.long, device=lengths.device)
    return ones.cumsum(-1) <= lengths.view(-1, 1, 1)


def mask_scores(scores, mask):
    return scores.masked_fill(mask == 0, _VERY_NEGATIVE[scores.dtype])


def _divide(top):
    bottom = top.sum(-1, keepdim=True)
    empty = bottom == 0
    return top / (bottom + empty)


def mask_weights(weights, mask):
    return _divide(weights * mask)


def masked_attention(query, key, value, mask=None):
    scores = query.matmul(key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
    if mask is None:
        mask = scores == scores  # all of them
    largest = mask_scores(scores, mask).amax(dim=-1, keepdim=True)  # of those that may be seen
    powers = (scores - largest).clamp(max=0).exp()
    weights = _divide(powers * mask)
    return weights @ value, weights
