"""Exercise 07."""

from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, S, E = x.shape
    D, rest = divmod(E, num_heads)
    if rest:
        raise ValueError(f"embedding of {E} does not go into {num_heads} heads")
    return x.contiguous().view(B, S, num_heads, D).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, S, D = x.shape
    return x.reshape(B, S, H * D)
