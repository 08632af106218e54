"""One row at a time where that is easier to read."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    rows = [[s <= t for s in range(size)] for t in range(size)]
    return torch.tensor(rows, dtype=torch.bool)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], 1, size, dtype=torch.bool, device=lengths.device)
    for b in range(lengths.shape[0]):
        n = int(lengths[b])
        if n > size:
            raise ValueError(f"sample {b}: length {n} exceeds size {size}")
        mask[b, 0, :n] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.clone()
    scores.masked_fill_(torch.logical_not(mask), -torch.inf)
    return scores


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    width = weights.shape[-1]
    allowed = torch.broadcast_to(mask, weights.shape).reshape(-1, width)
    rows = []
    for row, may in zip(weights.reshape(-1, width), allowed, strict=True):
        kept = row * may
        rows.append(kept / kept.sum())
    return torch.stack(rows).reshape(weights.shape)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    *lead, t, d = query.shape
    s = key.shape[-2]
    q = query.reshape(-1, t, d)
    k = key.reshape(-1, s, d)
    v = value.reshape(-1, s, value.shape[-1])
    scores = torch.bmm(q, k.permute(0, 2, 1)) / math.sqrt(d)
    if mask is None:
        weights = scores.softmax(dim=2)
    else:
        m = mask.expand(*lead, t, s).reshape(-1, t, s)
        top = scores.detach().masked_fill(~m, -1e30).amax(dim=2, keepdim=True)
        e = torch.exp((scores - top).masked_fill(~m, -1e30)) * m
        z = e.sum(dim=2, keepdim=True)
        weights = e / torch.where(z == 0, 1, z)
    out = torch.bmm(weights, v)
    return out.reshape(*lead, t, v.shape[-1]), weights.reshape(*lead, t, s)
