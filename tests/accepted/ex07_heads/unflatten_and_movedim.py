"""Axes by name of operation: unflatten, movedim, and back.

The contract: "head h gets the features h·D to (h+1)·D − 1."
"""

import torch


def split_heads(x, num_heads):
    width, rest = divmod(x.size(-1), num_heads)
    if rest != 0:
        message = f"{num_heads} heads cannot share {x.size(-1)} features: {rest} would be left over"
        raise ValueError(message)
    return torch.movedim(x.unflatten(-1, (num_heads, width)), -2, -3)


def merge_heads(x):
    return torch.movedim(x, -3, -2).flatten(-2)
