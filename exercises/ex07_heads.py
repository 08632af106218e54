"""Exercise 07: splitting the features into heads, and merging the heads again."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Give each head its own block of features: head h gets the features h·D to (h+1)·D − 1.

    Features and heads are counted from 0, and the last feature named belongs to the head.

    Args:
        x: (B, S, E): samples, tokens, features, of any dtype, which stays. It need not be
            contiguous, and is not changed.
        num_heads: H; each head is D = E / H wide.

    Returns:
        (B, H, S, D).

    Raises:
        ValueError: if E is not divisible by H; the message names both numbers.

    >>> import torch
    >>> split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), num_heads=2).tolist()
    [[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]
    """
    raise NotImplementedError("ex07 split_heads: not written yet")


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads side by side again: what split_heads took apart comes back as it was.

    Args:
        x: (B, H, S, D), of any dtype, which stays. It need not be contiguous, and is not changed.

    Returns:
        (B, S, E) with E = H·D; the features h·D to (h+1)·D − 1 are those of head h.

    >>> import torch
    >>> merge_heads(torch.tensor([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]])).tolist()
    [[[1, 2, 3, 4], [5, 6, 7, 8]]]
    """
    raise NotImplementedError("ex07 merge_heads: not written yet")
