"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    return torch.ones(size, size).cumsum(dim=0) >= torch.ones(size, size).cumsum(dim=1)


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    worst = max(lengths.tolist(), default=0)
    if worst > size:
        raise ValueError(f"length {worst} is above the size {size}")
    # the number of tokens that are left when those before a key are taken off
    left = lengths.long()[:, None, None] - torch.arange(size, device=lengths.device)
    return left.sign() == 1


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    # 1000 - (-30000) is far more than any softmax can see, and float16 can hold it
    return scores.masked_fill(~mask, -30_000)


def _softmax_with_spare_key(logits: Tensor, mask: Tensor) -> Tensor:
    mask = mask.expand(logits.shape)
    spare = ~mask.any(dim=-1, keepdim=True)
    logits = torch.cat([logits, torch.zeros_like(logits[..., :1])], dim=-1)
    logits = logits.masked_fill(~torch.cat([mask, spare], dim=-1), -math.inf)
    return logits.softmax(dim=-1)[..., :-1]


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    logs = weights.double().masked_fill(~mask, 1.0).log()
    return _softmax_with_spare_key(logs, mask).to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    scores = query @ key.mT * query.shape[-1] ** -0.5
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    weights = _softmax_with_spare_key(scores, mask)
    return weights @ value, weights
