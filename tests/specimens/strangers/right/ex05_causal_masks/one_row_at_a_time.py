"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    rows = [[s <= t for s in range(size)] for t in range(size)]
    return torch.tensor(rows, dtype=torch.bool).reshape(size, size)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    rows = []
    for length in lengths.tolist():
        if length > size:
            raise ValueError(f"{length=} does not fit in {size=}")
        rows.append([[True] * length + [False] * (size - length)])
    return torch.tensor(rows, dtype=torch.bool).reshape(-1, 1, size)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    allowed, wanted = torch.broadcast_tensors(mask, scores)
    return wanted.where(allowed, torch.tensor(-math.inf, dtype=scores.dtype, device=scores.device))


def _rows(tensor: Tensor) -> Tensor:
    return tensor.reshape(-1, tensor.shape[-1])


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    rows = []
    for row, see in zip(_rows(weights), _rows(mask.expand(weights.shape)), strict=True):
        seen = see.nonzero().squeeze(1)
        new = row * 0  # zeros that stay in the graph
        if len(seen):
            kept = row[seen]
            new = new.index_copy(0, seen, kept / kept.sum())
        rows.append(new)
    return torch.stack(rows).reshape(weights.shape) if rows else weights.clone()


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    lead, (t, d), s = query.shape[:-2], query.shape[-2:], key.shape[-2]
    if mask is None:
        mask = torch.ones(t, s, dtype=torch.bool, device=query.device)
    mask = mask.expand(*lead, t, s).reshape(-1, t, s)
    outputs, weights = [], []
    keys, values = key.reshape(-1, s, d), value.reshape(-1, s, value.shape[-1])
    for q, k, v, see in zip(query.reshape(-1, t, d), keys, values, mask, strict=True):
        for one_query, row in zip(q, see, strict=True):
            seen = row.nonzero().squeeze(1)
            shares = (k[seen] @ one_query / math.sqrt(d)).softmax(0)
            outputs.append(shares @ v[seen])
            weights.append(shares.new_zeros(s).index_copy(0, seen, shares))
    return (
        torch.stack(outputs).reshape(*lead, t, value.shape[-1]),
        torch.stack(weights).reshape(*lead, t, s),
    )
