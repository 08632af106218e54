"""Masks as numbers that are added."""

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    grid_t, grid_s = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    return grid_t - grid_s >= 0


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    over = torch.nonzero(lengths > size)
    if over.numel():
        where = over[0, 0].item()
        raise ValueError(f"lengths[{where}] = {lengths[where].item()} is above size = {size}")
    b = lengths.shape[0]
    position = torch.arange(size, device=lengths.device).reshape(1, 1, size).expand(b, 1, size)
    return position < lengths.reshape(b, 1, 1)


def to_bias(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Turn True into 0 and False into a very large negative number."""
    bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    bias[~mask] = torch.finfo(dtype).min / 2
    return bias


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + mask


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    out = weights * mask
    total = out.sum(-1)
    total = total + (total == 0).to(total.dtype)
    return out / total[..., None]


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    dim = query.shape[-1]
    logits = torch.einsum("...qd,...kd->...qk", query, key) * dim**-0.5
    if mask is None:
        attention = logits.softmax(dim=-1)
    else:
        attention = (logits + to_bias(mask, logits.dtype)).softmax(dim=-1)
        attention = attention * mask.to(attention.dtype)
    return torch.einsum("...qk,...kv->...qv", attention, value), attention
