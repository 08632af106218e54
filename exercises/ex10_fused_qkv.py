"""Exercise 10: three projections in one layer, and the two layouts of its output."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex07_heads import split_heads


def split_qkv_blocks(qkv: Tensor, num_heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Read the layout [all queries, all keys, all values]: three blocks of E features.

    Within each block head h has the features h·D to (h+1)·D − 1, as in exercise 07.

    Args:
        qkv: (B, S, 3E), of any dtype, which stays. It need not be contiguous, and is not changed.
        num_heads: H, which divides E; each head is D = E / H wide.

    Returns:
        A tuple (query, key, value), each (B, H, S, D).

    >>> qkv = torch.arange(12).view(1, 1, 12)
    >>> query, key, value = split_qkv_blocks(qkv, num_heads=2)
    >>> query.tolist(), key.tolist(), value.tolist()
    ([[[[0, 1]], [[2, 3]]]], [[[[4, 5]], [[6, 7]]]], [[[[8, 9]], [[10, 11]]]])
    """
    raise NotImplementedError("ex10 split_qkv_blocks: not written yet")


def split_qkv_per_head(qkv: Tensor, num_heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Read the layout [query, key, value] per head: H blocks of 3D features.

    Head h has the features h·3D to (h+1)·3D − 1: first D of its query, then D of its key, then D
    of its value.

    Args:
        qkv: (B, S, 3E), of any dtype, which stays. It need not be contiguous, and is not changed.
        num_heads: H, which divides E; each head is D = E / H wide.

    Returns:
        A tuple (query, key, value), each (B, H, S, D).

    >>> qkv = torch.arange(12).view(1, 1, 12)
    >>> query, key, value = split_qkv_per_head(qkv, num_heads=2)
    >>> query.tolist(), key.tolist(), value.tolist()
    ([[[[0, 1]], [[6, 7]]]], [[[[2, 3]], [[8, 9]]]], [[[[4, 5]], [[10, 11]]]])
    """
    raise NotImplementedError("ex10 split_qkv_per_head: not written yet")


def fuse(w_query: nn.Linear, w_key: nn.Linear, w_value: nn.Linear) -> nn.Linear:
    """Make one layer that computes what three compute, in the layout of split_qkv_blocks.

    Args:
        w_query: from N to E features, where N need not be E.
        w_key: of the same size.
        w_value: of the same size. All three have a bias or none has; they are in float32, on one
            device. They are not changed.

    Returns:
        A new nn.Linear from N to 3E features, which are its `in_features` and `out_features`, on
        that device; with a bias if the three have one. Its parameters are trainable copies: what
        happens later to the three is nothing to it, nor the other way round.

    >>> w_query, w_key, w_value = (nn.Linear(1, 2, bias=False) for _ in range(3))
    >>> for number, layer in enumerate((w_query, w_key, w_value)):
    ...     _ = nn.init.constant_(layer.weight, number)
    >>> fuse(w_query, w_key, w_value)(torch.ones(1)).tolist()
    [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    """
    raise NotImplementedError("ex10 fuse: not written yet")
