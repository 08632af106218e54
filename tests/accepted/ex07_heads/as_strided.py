"""Strides worked out from those of the tensor at hand.

The contract: "It need not be contiguous, and is not changed."
"""

import torch


def split_heads(x, num_heads):
    b, s, e = x.shape
    if e % num_heads:
        raise ValueError("cannot divide a width of {} by {}".format(e, num_heads))
    d = e // num_heads
    sb, ss, se = x.stride()
    return torch.as_strided(x, (b, num_heads, s, d), (sb, d * se, ss, se), x.storage_offset())


def merge_heads(x):
    x = x.contiguous()
    b, h, s, d = x.shape
    return x.as_strided((b, s, h, d), (h * s * d, d, s * d, 1)).reshape(b, s, h * d)
