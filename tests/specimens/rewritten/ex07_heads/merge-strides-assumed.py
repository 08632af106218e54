import torch
from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    total = x.shape[2]
    if total % num_heads != 0:
        raise ValueError(f"{num_heads} heads cannot share {total} features equally")
    return torch.stack(x.chunk(num_heads, dim=2), dim=2).swapaxes(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    samples, heads, tokens, width = x.shape
    by_feature, by_token = 1, width
    by_head = tokens * by_token
    by_sample = heads * by_head
    tokens_first = x.as_strided(
        (samples, tokens, heads, width), (by_sample, by_token, by_head, by_feature)
    )
    return tokens_first.reshape(samples, tokens, heads * width)
