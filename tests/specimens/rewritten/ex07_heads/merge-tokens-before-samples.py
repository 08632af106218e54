import torch
from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    samples, tokens, features = x.shape
    width = features // num_heads
    if width * num_heads != features:
        raise ValueError(f"num_heads={num_heads} does not divide {features}")
    blocks = [x[:, :, h * width : (h + 1) * width] for h in range(num_heads)]
    return torch.stack(blocks).transpose(0, 1)


def merge_heads(x: Tensor) -> Tensor:
    samples, heads, tokens, width = x.size()
    side_by_side = x.permute(2, 0, 1, 3)
    return side_by_side.reshape(samples, tokens, heads * width)
