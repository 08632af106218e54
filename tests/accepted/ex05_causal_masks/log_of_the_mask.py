"""log(1) = 0 and log(0) = −inf: the logarithm of a mask is what has to be added.

The contract: "Which value stands at a hidden key is free, as long as softmax makes exactly zero of
it."
"""

import numpy as np
import torch
from torch import nn


def causal_mask(size):
    return torch.from_numpy(np.tri(size, dtype=bool))


def padding_mask(lengths, size):
    longest = max(lengths.tolist(), default=0)
    if longest > size:
        raise ValueError(f"got {longest} tokens for {size} places")
    positions = torch.arange(1, size + 1, device=lengths.device)
    return positions.le(lengths.reshape(-1, 1, 1))


def mask_scores(scores, mask):
    return scores + mask.to(scores).log()


def mask_weights(weights, mask):
    empty = mask.logical_not().all(dim=-1, keepdim=True)
    kept = (weights * mask).masked_fill(empty, 1)  # an empty row gets something to divide
    tiny = torch.finfo(weights.dtype).tiny
    return nn.functional.normalize(kept, p=1.0, dim=-1, eps=tiny).masked_fill(empty, 0)


def masked_attention(query, key, value, mask=None):
    scores = query @ key.swapaxes(-1, -2) * query.new_tensor(query.shape[-1]).rsqrt()
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    alive = mask.any(-1, keepdim=True)
    weights = nn.Softmax(dim=-1)(mask_scores(scores, mask.logical_or(~alive)))
    weights = weights.mul(alive)
    return weights.matmul(value), weights
