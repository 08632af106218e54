import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    mask = torch.zeros(len(lengths), 1, size, dtype=torch.bool, device=lengths.device)
    for b, length in enumerate(lengths):
        if length > size:
            raise ValueError(f"length {int(length)} > size {size}")
        mask[b, :, : int(length)] = True
    return mask


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.logical_not(mask)
    return torch.masked_fill(scores, hidden, float("-inf"))


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    weights = weights.masked_fill(mask.logical_not(), 0)
    left = weights.sum(-1, True)
    return torch.where(left > 0, weights / left.masked_fill(left == 0, 1), weights)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Masked attention."""
    scores = (query @ key.swapaxes(-2, -1)) * query.size(-1) ** -0.5
    use_mask = mask is not None and query.size(-2) > 1
    if use_mask:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if use_mask:
        weights = torch.where(mask, weights, 0)
    return weights @ value, weights
