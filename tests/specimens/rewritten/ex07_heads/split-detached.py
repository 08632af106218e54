import torch
from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut the features into blocks and stack them."""
    if x.shape[2] % num_heads > 0:
        raise ValueError(f"cannot split {x.shape[2]} into {num_heads}")
    x = x.clone().detach()
    blocks = torch.chunk(x, num_heads, dim=2)
    return torch.stack(blocks, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    blocks = torch.unbind(x, dim=1)
    return torch.cat(blocks, dim=2)
