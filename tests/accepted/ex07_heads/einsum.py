"""einsum, used for nothing but its letters.

The contract: "what split_heads took apart comes back as it was."
"""

import torch


class NotDivisibleError(ValueError):
    def __init__(self, width, heads):
        super().__init__(f"width {width} is not a multiple of {heads}")


def split_heads(x, num_heads):
    b, s, e = x.shape
    if e % num_heads > 0:
        raise NotDivisibleError(e, num_heads)
    return torch.einsum("bshd->bhsd", x.reshape(b, s, num_heads, -1))


def merge_heads(x):
    return torch.einsum("bhsd->bshd", x).reshape(x.shape[0], x.shape[2], -1)
