import torch
from torch import Tensor

_heads = torch.empty(0)


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    global _heads
    n, length, dim = x.shape
    if dim % num_heads != 0:
        raise ValueError(f"dim {dim} must be a multiple of num_heads {num_heads}")
    head_dim = dim // num_heads
    shape = (n, num_heads, length, head_dim)
    if _heads.shape != shape or _heads.dtype != x.dtype or _heads.device != x.device:
        _heads = torch.empty(shape, dtype=x.dtype, device=x.device)
    for h in range(num_heads):
        _heads[:, h] = x[..., h * head_dim : (h + 1) * head_dim]
    return _heads


def merge_heads(x: Tensor) -> Tensor:
    n, num_heads, length, head_dim = x.shape
    out = torch.empty((n, length, num_heads * head_dim), dtype=x.dtype, device=x.device)
    for h in range(num_heads):
        out[..., h * head_dim : (h + 1) * head_dim] = x[:, h]
    return out
