"""Exercise 07: splitting the features into heads, and merging the heads again."""

import torch
from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Give each head its own block of features: head h gets the features h·D to (h+1)·D − 1.

    Features and heads are counted from 0, and the last feature named belongs to the head.

    Args:
        x: (B, S, E): samples, tokens, features. It need not be contiguous.
        num_heads: H; each head is D = E / H wide.

    Returns:
        (B, H, S, D).

    Raises:
        ValueError: if E is not divisible by H; the message names both numbers.

    >>> import torch
    >>> split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), num_heads=2).tolist()
    [[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]
    """
    if x.shape[2] % num_heads:
        raise ValueError(
            f"the number of features, {x.shape[2]}, is no multiple of the number of heads, {num_heads}"
        )
    return torch.stack(x.chunk(num_heads, dim=2))


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads side by side again: what split_heads took apart comes back as it was.

    Args:
        x: (B, H, S, D). It need not be contiguous.

    Returns:
        (B, S, E) with E = H·D; the features h·D to (h+1)·D − 1 are those of head h.

    >>> import torch
    >>> merge_heads(torch.tensor([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]])).tolist()
    [[[1, 2, 3, 4], [5, 6, 7, 8]]]
    """
    return torch.cat(x.unbind(dim=1), dim=2)
