"""The mask as something to add: 0 or a very large negative number.

The contract: "Which value stands at a hidden key is free, as long as softmax makes exactly zero of
it."
"""

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    forbidden = torch.triu(torch.ones((size, size)), diagonal=1)
    return forbidden == 0


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    for n in lengths.tolist():
        if n > size:
            raise ValueError("length %d exceeds size %d" % (n, size))
    rows = [[[k < n for k in range(size)]] for n in lengths.tolist()]
    return torch.tensor(rows, dtype=torch.bool, device=lengths.device)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    bias[~mask] = torch.finfo(scores.dtype).min / 2
    return scores + bias


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    keep = mask.to(weights.dtype)
    weights = weights * keep
    s = weights.sum(dim=-1, keepdim=True)
    return weights / (s + (s == 0).to(s.dtype))


def masked_attention(query, key, value, mask=None):
    q = query * query.size(-1) ** -0.5
    scores = torch.einsum("...td,...sd->...ts", q, key)
    if mask is not None:
        scores = mask_scores(scores, mask)
    w = scores.softmax(-1)
    if mask is not None:
        w = w * mask
    return torch.einsum("...ts,...sv->...tv", w, value), w
