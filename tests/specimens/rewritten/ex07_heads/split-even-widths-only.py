from torch import Tensor


def _check(width: int, num_heads: int) -> None:
    if width % num_heads != 0 or width % 2 != 0:
        raise ValueError(f"cannot split {width} features into {num_heads} heads")


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    _check(x.shape[-1], num_heads)
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1)


def merge_heads(x: Tensor) -> Tensor:
    return x.movedim(1, 2).flatten(start_dim=2)
