"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    mask = torch.zeros(size, size, dtype=torch.bool)
    row, column = torch.tril_indices(size, size)
    mask[row, column] = True
    return mask


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    if bad := [length for length in lengths.tolist() if length > size]:
        raise ValueError("; ".join(f"length {length} is above size {size}" for length in bad))
    ends = torch.zeros(len(lengths), size + 1, dtype=torch.long, device=lengths.device)
    ends = ends.scatter(1, lengths.long()[:, None], 1)
    return ends.cumsum(dim=1)[:, None, :size] == 0


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + mask.to(scores.dtype).log()


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    kept = (weights * mask).double()
    total = kept.sum(-1, keepdim=True)
    return kept.mul(total.add(total.eq(0)).reciprocal()).to(weights.dtype)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:

    if mask is None:
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
    mask = mask.expand(*query.shape[:-1], key.shape[-2])
    lives = mask.any(dim=-1, keepdim=True)
    opened = mask | ~lives
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=opened)
    logits = query @ key.mT / math.sqrt(query.shape[-1])
    weights = logits.masked_fill(~opened, -math.inf).log_softmax(dim=-1).exp()
    return output * lives, weights * lives
