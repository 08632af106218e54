"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    distance = torch.arange(size).unsqueeze(1) - torch.arange(size)
    return distance.clamp(min=-1) != -1


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    def one(length: int) -> Tensor:
        if length > size:
            raise ValueError(f"{length} tokens cannot be padded to a size of {size}")
        return torch.cat([torch.ones(1, length), torch.zeros(1, size - length)], dim=1).bool()

    samples = [one(int(length)) for length in lengths]
    return torch.stack(samples) if samples else torch.zeros(0, 1, size, dtype=torch.bool)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    highest = torch.full_like(scores, torch.finfo(scores.dtype).max)
    return torch.minimum(scores, torch.where(mask, highest, -highest))


def _share_out(parts: Tensor) -> Tensor:
    """Divide every row by its sum; a row of zeros stays one."""
    total = parts.sum(dim=-1, keepdim=True)
    return parts / torch.where(total == 0, torch.ones_like(total), total)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    return _share_out(torch.where(mask, weights, torch.zeros_like(weights)))


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    scores = torch.einsum("...td,...sd->...ts", query / math.sqrt(query.shape[-1]), key)
    visible = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    peak = scores.detach().masked_fill(~visible, -math.inf).amax(dim=-1, keepdim=True)
    lowered = torch.where(visible, scores - peak.nan_to_num(neginf=0.0), 0.0)
    weights = _share_out(lowered.exp() * visible)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
