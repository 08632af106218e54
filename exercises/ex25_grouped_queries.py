"""Exercise 25: fewer heads for keys and values than for queries, so that a cache is smaller."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


def repeat_heads(x: Tensor, times: int) -> Tensor:
    """Repeat each head, so that its copies stand next to each other.

    Args:
        x: (B, G, S, D): keys or values of G heads, of any dtype, which stays. It is not changed,
            and need not be contiguous.
        times: how often each head occurs in the result, 1 or more.

    Returns:
        (B, G · times, S, D): first the copies of head 0, then those of head 1, and so on. It may
        share memory with x. Gradients flow back to x.

    >>> import torch
    >>> repeat_heads(torch.tensor([3.0, 4.0]).view(1, 2, 1, 1), 2).flatten().tolist()
    [3.0, 3.0, 4.0, 4.0]
    """
    raise NotImplementedError("ex25 repeat_heads: not written yet")


def cache_size(num_layers: int, num_kv_heads: int, head_dim: int, tokens: int) -> int:
    """Count the numbers that a cache of keys and values holds for one text.

    Args:
        num_layers: how many layers have a cache of their own.
        num_kv_heads: G, the number of heads of keys. There are as many heads of values.
        head_dim: D.
        tokens: how many tokens the text has, 0 or more.

    Returns:
        How many numbers there are, keys and values together.

    >>> cache_size(num_layers=2, num_kv_heads=4, head_dim=8, tokens=100)
    12800
    """
    raise NotImplementedError("ex25 cache_size: not written yet")


class GroupedQueryAttention(nn.Module):
    """Self-attention with H heads of queries, which share G heads of keys and values.

    Neighbouring heads share: with H / G = 2, query heads 0 and 1 use head 0 of keys and values,
    query heads 2 and 3 use head 1. G = H is multi-head attention; with G = 1 all heads share one.
    Each head attends as masked_attention of exercise 05 does, which divides scores by √D. Nothing
    is remembered between calls, and nothing depends on the mode.

    Args:
        d_model: E, the width of input and output.
        num_heads: H, the heads of queries. Head h has the features h·D to (h+1)·D − 1, with D = E /
            H.
        num_kv_heads: G, the heads of keys and values, with the same D.
        bias: whether the four projections have a bias, all of them or none.

    Attributes:
        w_query, w_out: nn.Linear from E to E features.
        w_key, w_value: nn.Linear from E to G·D features. All four have the same names in
            `state_dict()`.

    Raises:
        ValueError: by the constructor, if E is not divisible by H, or H not by G; the message names
            the two numbers of the division that fails.
    """

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int, bias: bool = False) -> None:
        super().__init__()
        raise NotImplementedError("ex25 GroupedQueryAttention.__init__: not written yet")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Project, split into heads, repeat those of keys and values, attend, merge, project.

        Args:
            x: (B, S, E). It is not changed, and need not be contiguous.
            mask: bool, True = may attend: (S, S), the same for all samples and heads, or of four
                dimensions that broadcast to (B, H, S, S), never of three. Where a size is 1, it
                broadcasts. No row hides every key. It is not changed, and need not be
                contiguous. None hides nothing.

        Returns:
            output: (B, S, E), in the dtype of x and of the module.
            weights: (B, H, S, S), one map for each head of queries, zero at hidden keys. They have
                the dtype of the output.

        >>> import torch
        >>> attention = GroupedQueryAttention(d_model=12, num_heads=6, num_kv_heads=2)
        >>> output, weights = attention(torch.ones(1, 3, 12))
        >>> output.shape, weights.shape, attention.w_key.weight.shape
        (torch.Size([1, 3, 12]), torch.Size([1, 6, 3, 3]), torch.Size([4, 12]))
        """
        raise NotImplementedError("ex25 GroupedQueryAttention.forward: not written yet")
