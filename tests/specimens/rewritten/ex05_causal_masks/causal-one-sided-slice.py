"""One big triangle, logarithms for the weights."""

import torch
from torch import Tensor


def big_triangle(size: int) -> Tensor:
    """A triangle of 64 positions, or of more if `size` asks for it."""
    side = 64
    while side < size:
        side *= 2
    return torch.tril(torch.ones(side, side)).bool()


def causal_mask(size: int) -> Tensor:
    return big_triangle(size)[:size]


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    if any(length > size for length in lengths):
        raise ValueError(f"lengths up to {max(lengths).item()}, but only {size} places")
    counts = torch.ones(len(lengths), size, device=lengths.device).cumsum(dim=1)
    return (counts <= lengths[:, None])[:, None]


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    out = torch.where(mask, scores, -torch.inf)
    return out.to(scores.dtype)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    logs = torch.where(mask, weights, 1.0).double().log()
    logs = logs.masked_fill(~mask, -1e30)
    new = logs.softmax(dim=-1) * mask
    return new.to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    q = query / query.shape[-1] ** 0.5
    scores = q @ key.swapaxes(-1, -2)
    if mask is not None:
        scores = torch.where(mask, scores, -1e30)
    log_weights = scores - scores.logsumexp(dim=-1, keepdim=True)
    weights = log_weights.exp()
    if mask is not None:
        weights = torch.where(mask, weights, 0.0)
    return weights @ value, weights
