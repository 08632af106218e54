import math

from torch import Tensor


def check(features: int, heads: int) -> None:
    if heads > 1 and math.gcd(features, heads) == 1:
        raise ValueError(f"{features} is not divisible by {heads}")


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    features = x.shape[-1]
    check(features, num_heads)
    x = x.reshape(*x.shape[:2], num_heads, features // num_heads)
    return x.movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return x.movedim(1, 2).flatten(start_dim=2)
