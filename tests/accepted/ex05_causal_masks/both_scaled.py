"""Query and key each divided by the fourth root; the mask hides before the scale is complete.

The contract: "Which value stands at a hidden key is free, as long as softmax makes exactly zero of
it."
"""

import torch
from torch import Tensor, where


class _Softmax:
    """Log-softmax, exponentiated: the weights of one masked set of scores."""

    def __init__(self, scores: Tensor) -> None:
        self.logs = scores - scores.logsumexp(-1, keepdim=True)

    def __call__(self) -> Tensor:
        return self.logs.exp()


def causal_mask(size: int) -> Tensor:
    return ~torch.ones(size, size, dtype=torch.bool).triu(1)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    limit = torch.full_like(lengths, size)
    if not torch.equal(torch.minimum(lengths, limit), lengths):
        raise ValueError(f"size={size} but max(lengths)={int(lengths.amax())}")
    remaining = lengths[:, None] - torch.arange(size, device=lengths.device)
    return (remaining > 0)[:, None, :]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    below = scores.detach().amin() - 1e3  # lower than the lowest
    return where(mask, scores, below)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = [
        where(m, w, 0.0) for m, w in zip(mask.expand_as(weights).unbind(-1), weights.unbind(-1))
    ]
    total = sum(each.double() for each in kept)
    share = where(total > 0, 1 / total.clamp(min=1e-30), 0.0)
    return torch.stack([each * share for each in kept], dim=-1).to(weights.dtype)


def masked_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None):
    root = query.shape[-1] ** -0.25
    scores = (query * root) @ (key * root).mT
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    weights = _Softmax(mask_scores(scores, allowed))() * allowed
    return weights @ value, weights
