"""In-place operations throughout, on tensors that nobody else has.

The contract: "No function changes its arguments, and none of them need be contiguous."
"""

import torch


def causal_mask(size):
    mask = torch.full((size, size), True)
    rows, columns = torch.triu_indices(size, size, offset=1)
    mask[rows, columns] = False
    return mask


def padding_mask(lengths, size):
    longest = lengths.max().item()
    if not longest <= size:
        raise ValueError(f"longest sample: {longest}, room for {size}")
    flags = torch.zeros(*lengths.shape, size + 1, device=lengths.device)
    flags.scatter_(-1, lengths.long().unsqueeze(-1), 1.0)
    return flags.cumsum(-1).lt(0.5)[..., :-1].unsqueeze(-2)


def mask_scores(scores, mask):
    new = scores + 0
    new.masked_fill_(mask.logical_not(), float("-inf"))
    return new


def mask_weights(weights, mask):
    kept = weights.clone().masked_fill_(~mask, 0)
    kept = kept / kept.sum(-1, keepdim=True)
    return kept.nan_to_num_(0.0)


def masked_attention(query, key, value, mask=None):
    scores = query @ key.movedim(-1, -2)
    scores.div_(query.size(-1) ** 0.5)
    if mask is not None:
        scores.masked_fill_(~mask, float("-inf"))
    weights = scores.softmax(-1)
    weights = weights.nan_to_num(0.0)
    output = weights @ value
    return output, weights
