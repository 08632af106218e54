"""Exercise 05: masks. In a mask, True means "this query may attend to this key"."""

import math

import torch
from torch import Tensor


def causal_mask(size: int) -> Tensor:
    """Let each position attend to itself and to every earlier one.

    Returns:
        bool (size, size): row t, column s is True where query t may attend to key s.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    position = torch.arange(size)
    return position[:, None] >= position


def padding_mask(lengths: Tensor, size: int) -> Tensor:
    """Let every query of a sample attend to the first `length` keys of that sample.

    Args:
        lengths: integer (B,), how many real tokens each sample has, from 0 to size.
        size: the number of keys S that each sample is padded to.

    Returns:
        bool (B, 1, size): True for real tokens. The 1 lets it broadcast over all queries.

    Raises:
        ValueError: if a length is above `size`; the message names both numbers.

    >>> padding_mask(torch.tensor([1, 3]), 3).int().tolist()
    [[[1, 0, 0]], [[1, 1, 1]]]
    """
    lengths = lengths.long()
    too_long = lengths[lengths > size]
    if too_long.numel():
        raise ValueError(f"length {too_long[0].item()} is above the padded size {size}")
    return (torch.arange(size, device=lengths.device) < lengths[:, None]).unsqueeze(1)


def _additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """0 where a query may attend, -inf where not; a row that hides everything stays at 0."""
    hidden = ~mask & mask.any(dim=-1, keepdim=True)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(hidden, -math.inf)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Change scores so that after a softmax over the keys every hidden key has weight zero.

    Args:
        scores: (..., T, S), float16, float32 or float64, of any moderate size.
        mask: bool, broadcasts to the scores; True = may attend.

    Returns:
        (..., T, S) in the dtype of the scores. What it holds at hidden keys is free, as long as
        softmax makes exactly zero of it; so is a row in which everything is hidden.

    >>> mask_scores(torch.zeros(2, 2), causal_mask(2)).softmax(dim=-1).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    return scores + _additive(mask, scores.dtype)


def mask_weights(weights: Tensor, mask: Tensor) -> Tensor:
    """Take hidden keys out of weights that are there already: zero them, then renormalise.

    Args:
        weights: (..., T, S), each row sums to one.
        mask: bool, broadcasts to the weights; True = may attend.

    Returns:
        (..., T, S): hidden keys have zero, the others of a row sum to one again. A row in which
        everything is hidden is all zeros, and its gradients are finite.

    >>> mask_weights(torch.tensor([[0.5, 0.25, 0.25]]), torch.tensor([[True, True, False]]))
    tensor([[0.6667, 0.3333, 0.0000]])
    """
    kept = weights * mask
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1.0)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention in which a query attends only to the keys that it may see.

    Args:
        query: (..., T, D). Any number of leading dimensions, none included.
        key: (..., S, D), where S may differ from T.
        value: (..., S, Dv).
        mask: bool, broadcasts to (..., T, S); True = may attend. None hides nothing.

    Returns:
        output: (..., T, Dv), in the dtype of the inputs.
        weights: (..., T, S), zero at hidden keys. A query that may attend to nothing has weights
        and output of zero, and finite gradients.

    >>> one = torch.ones(2, 1)
    >>> output, weights = masked_attention(one, one, torch.tensor([[4.0], [8.0]]), causal_mask(2))
    >>> weights.tolist(), output.tolist()
    ([[1.0, 0.0], [0.5, 0.5]], [[4.0], [6.0]])
    """
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("...td,...sd->...ts", query * scale, key)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        # mask_scores leaves a row without any visible key alone (finite); zero it afterwards.
        weights = mask_scores(scores, mask).softmax(dim=-1) * mask
    return torch.einsum("...ts,...sd->...td", weights, value), weights
