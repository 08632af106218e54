"""Windows of D features, D apart; permute and clone on the way back.

The contract: "head h gets the features h·D to (h+1)·D − 1."
"""

from torch import Tensor, unflatten


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d_model = x.shape[2]
    if d_model % num_heads:
        raise ValueError(f"d_model = {d_model} must be a multiple of num_heads = {num_heads}")
    size = d_model // num_heads
    windows = x.unfold(dimension=2, size=size, step=size)
    return windows.permute(0, 2, 1, 3).contiguous()


def merge_heads(x: Tensor) -> Tensor:
    rows = x.permute(0, 2, 1, 3).clone().flatten(0, 1).flatten(1)
    return unflatten(rows, 0, (x.shape[0], x.shape[2]))
