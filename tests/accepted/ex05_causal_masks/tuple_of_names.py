"""A named tuple comes back, and the arithmetic is spelled as broadcasting products and sums.

The contract: "Which value stands at a hidden key is free, as long as softmax makes exactly zero of
it."
"""

from collections import namedtuple

import torch

Attention = namedtuple("Attention", ["output", "weights"])
NEVER = float("-inf")


def causal_mask(size):
    positions = torch.arange(size)
    later = positions.view(1, -1) - positions.view(-1, 1)
    return torch.logical_not(later > 0)


def padding_mask(lengths, size):
    try:
        assert (lengths <= size).all()
    except AssertionError:
        message = f"lengths up to {lengths.max()} need a size of more than {size}"
        raise ValueError(message) from None
    return torch.stack([torch.arange(size, device=lengths.device) < n for n in lengths])[:, None]


def mask_scores(scores, mask):
    bias = torch.full_like(scores, NEVER)
    return bias.where(~mask.broadcast_to(scores.shape), scores)


def mask_weights(weights, mask):
    total = (weights * mask).sum(-1).unsqueeze(-1)
    inverse = total.masked_fill(total.eq(0), torch.inf).reciprocal()
    return weights * mask * inverse


def masked_attention(query, key, value, mask=None):
    scale = torch.sqrt(torch.tensor(query.shape[-1], dtype=query.dtype, device=query.device))
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / scale
    if mask is None:
        weights = torch.nn.functional.softmin(-scores, dim=-1)
        return Attention((weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights)
    dead = ~mask.any(-1, keepdim=True)
    scores = mask_scores(scores, mask).masked_fill(dead, 0.0)
    weights = scores.softmax(-1).masked_fill(dead, 0.0)
    return Attention(torch.sum(weights[..., None] * value[..., None, :, :], dim=-2), weights)
