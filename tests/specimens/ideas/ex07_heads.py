"""Heads by view and transpose, as nanoGPT has them."""

from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(B, S, E) to (B, H, S, D)."""
    B, S, E = x.size()
    return x.view(B, S, num_heads, E // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, S, D) to (B, S, E)."""
    B, H, S, D = x.size()
    return x.transpose(1, 2).contiguous().view(B, S, H * D)
