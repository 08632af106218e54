"""Exercise 10: three projections in one layer, and the two layouts of its output."""

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
    batch_size, seq_len, three_dim = qkv.size()
    head_dim = three_dim // (3 * num_heads)

    parts = qkv.view(batch_size * seq_len, 3, num_heads, head_dim)
    result = []
    for i in range(3):
        part = parts[:, i].view(batch_size, seq_len, num_heads, head_dim)
        result.append(part.transpose(1, 2))
    return tuple(result)


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
    batch_size, seq_len, three_dim = qkv.size()
    head_dim = three_dim // (3 * num_heads)

    per_head = qkv.reshape(batch_size, seq_len, num_heads, 3 * head_dim).transpose(1, 2)
    return per_head.split(head_dim, dim=-1)


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
    n, e = w_query.in_features, w_query.out_features
    use_bias = w_query.bias is not None
    fused = nn.Linear(n, 3 * e, bias=use_bias, device=w_query.weight.device)
    for i, layer in enumerate((w_query, w_key, w_value)):
        fused.weight.data[i * e : (i + 1) * e] = layer.weight.data
        if use_bias:
            fused.bias.data[i * e : (i + 1) * e] = layer.bias.data
    return fused
