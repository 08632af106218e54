"""PyTorch's own attention for the output, and once more with an identity for the weights.

The contract: "A query that may attend to no key has weights and output of zero."
"""

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa


def causal_mask(size):
    return torch.ones((size, size), dtype=torch.uint8).tril_().to(torch.bool)


def padding_mask(lengths, size):
    if any(int(n) > size for n in lengths):
        raise ValueError(f"size is {size}, lengths are {lengths.tolist()}")
    table = causal_mask(size + 1)[:, 1:].to(lengths.device)  # row n: the first n keys
    return table[lengths.long()][:, None, :]


def mask_scores(scores, mask):
    return scores - torch.where(mask, 0.0, torch.inf).to(scores.dtype)


def mask_weights(weights, mask):
    return weights * mask / (weights * mask).sum(-1, True).masked_fill(~mask.any(-1, True), 1.0)


def masked_attention(query, key, value, mask=None):
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
    identity = torch.eye(key.shape[-2], dtype=key.dtype, device=key.device)
    identity = identity.expand(*key.shape[:-1], key.shape[-2])
    both = sdpa(query, key, torch.cat([identity, value], dim=-1), attn_mask=mask)
    size = key.shape[-2]
    weights, output = both[..., :size], both[..., size:]
    return output, weights
