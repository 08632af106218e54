"""One query at a time, with the hidden keys left out rather than hidden.

The contract: "A hidden key has no influence at all, however high it scores."
"""

import math

import torch


def causal_mask(size):
    return torch.tensor([[s <= t for s in range(size)] for t in range(size)])


def padding_mask(lengths, size):
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"A length of {length} was given, but there are only {size} keys.")
        rows.append(torch.tensor([True] * length + [False] * (size - length)))
    return torch.stack(rows)[:, None].to(lengths.device)


def mask_scores(scores, mask):
    low = scores.new_full((), torch.finfo(scores.dtype).min)
    rows = zip(
        scores.reshape(-1, scores.shape[-1]), mask.expand_as(scores).reshape(-1, scores.shape[-1])
    )
    return torch.stack([torch.where(m, s, low) for s, m in rows]).reshape(scores.shape)


def _weigh(weights, mask):
    kept = weights[mask]
    row = torch.zeros_like(weights)
    if len(kept):
        row[mask] = kept / kept.sum()
    else:
        row = weights * 0
    return row


def mask_weights(weights, mask):
    flat = weights.reshape(-1, weights.shape[-1])
    masks = mask.expand_as(weights).reshape(flat.shape)
    return torch.stack([_weigh(w, m) for w, m in zip(flat, masks)]).reshape(weights.shape)


def _attend(query, keys, values, mask):
    scores = (keys * query).sum(-1) / math.sqrt(len(query))
    weights = torch.zeros_like(scores)
    if mask.any():
        weights = weights.index_put((mask.nonzero()[:, 0],), scores[mask].softmax(0))
    else:
        weights = scores * 0
    return weights @ values, weights


def masked_attention(query, key, value, mask=None):
    *leading, t, d = query.shape
    s, dv = value.shape[-2:]
    if mask is None:
        mask = torch.ones(s, dtype=torch.bool, device=query.device)
    mask = mask.expand(*leading, t, s).reshape(-1, t, s)
    samples = zip(query.reshape(-1, t, d), key.reshape(-1, s, d), value.reshape(-1, s, dv), mask)
    found = [_attend(q, k, v, m) for qs, k, v, ms in samples for q, m in zip(qs, ms)]
    outputs, weights = zip(*found)
    return torch.stack(outputs).reshape(*leading, t, dv), torch.stack(weights).reshape(
        *leading, t, s
    )
